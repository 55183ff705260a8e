//! Booleans in the languages of Excel.

/// Words for true, as Excel writes booleans in the language of its user.
const TRUE: [&str; 19] = [
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
    "1",
];

/// Words for false.
const FALSE: [&str; 17] = [
    "FALSE", "FALSCH", "FAUX", "FALSO", "ONWAAR", "FALSKT", "FALSK", "USANN", "EPÄTOSI", "FAŁSZ", "NEPRAVDA", "HAMIS",
    "FALS", "ЛОЖЬ", "YANLIŞ", "NONE", "0",
];

/// Reads a boolean as Excel writes it, in any case. Returns `None` if the word is unknown.
pub(crate) fn read_boolean(word: &str) -> Option<bool> {
    let word = word.trim().to_uppercase();
    if TRUE.contains(&word.as_str()) { Some(true) } else { FALSE.contains(&word.as_str()).then_some(false) }
}
