//! Booleans in the languages of Excel and of the admin centres.

/// Words for true and yes, as Excel and the admin centres write booleans in the language of their user.
const TRUE: [&str; 32] = [
    "TRUE",
    "WAHR",
    "VRAI",
    "VERDADERO",
    "VERDADEIRO",
    "VERO",
    "WAAR",
    "SANT",
    "SAND",
    "SANN",
    "TOSI",
    "PRAWDA",
    "PRAVDA",
    "IGAZ",
    "ADEVĂRAT",
    "ИСТИНА",
    "DOĞRU",
    "CIERTO",
    "YES",
    "JA",
    "OUI",
    "SÍ",
    "SI",
    "SIM",
    "SÌ",
    "TAK",
    "ANO",
    "IGEN",
    "DA",
    "ДА",
    "EVET",
    "1",
];

/// Words for false and no.
const FALSE: [&str; 29] = [
    "FALSE", "FALSCH", "FAUX", "FALSO", "ONWAAR", "FALSKT", "FALSK", "USANN", "EPÄTOSI", "FAŁSZ", "NEPRAVDA", "HAMIS",
    "FALS", "ЛОЖЬ", "YANLIŞ", "NONE", "NO", "NEIN", "NON", "NÃO", "NIE", "NEE", "NEJ", "NEI", "NEM", "NU", "НЕТ",
    "HAYIR", "0",
];

/// Reads a boolean in any case. Returns `None` if the word is unknown.
pub(crate) fn read_boolean(word: &str) -> Option<bool> {
    let word = word.trim().to_uppercase();
    if TRUE.contains(&word.as_str()) { Some(true) } else { FALSE.contains(&word.as_str()).then_some(false) }
}
