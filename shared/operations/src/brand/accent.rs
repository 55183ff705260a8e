//! Accent colours, and their contrast as text.

use std::fmt;
use std::str::FromStr;

/// Least contrast of text with its background, by WCAG 2.2, level AA.
const LEAST_CONTRAST: f64 = 4.5;

/// A colour of sRGB, written `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accent([u8; 3]);

/// A text that is not a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a colour in the form #rrggbb, such as #2456c9")]
pub struct AccentError;

impl Accent {
    /// Returns the colour, darkened until text in it is readable on white.
    pub fn readable_on_white(self) -> Self {
        let darkened = (0..=100).rev().map(|percent| self.darkened(percent));
        darkened.into_iter().find(|accent| accent.contrast_with_white() >= LEAST_CONTRAST).unwrap_or(Self([0; 3]))
    }

    /// Returns the colour at a percentage of its brightness.
    fn darkened(self, percent: u16) -> Self {
        Self(self.0.map(|part| u8::try_from(u16::from(part) * percent / 100).expect("a part of a byte")))
    }

    /// Returns contrast with white, 1 to 21, by WCAG 2.2.
    fn contrast_with_white(self) -> f64 {
        1.05 / (self.luminance() + 0.05)
    }

    /// Returns relative luminance, 0 to 1, by WCAG 2.2.
    fn luminance(self) -> f64 {
        let [red, green, blue] = self.0.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
}

impl Default for Accent {
    /// Returns a blue that is readable on white.
    fn default() -> Self {
        Self([0x24, 0x56, 0xc9])
    }
}

impl FromStr for Accent {
    type Err = AccentError;

    fn from_str(text: &str) -> Result<Self, AccentError> {
        let digits =
            text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii()).ok_or(AccentError)?;
        let mut parts = [0; 3];
        for (part, at) in parts.iter_mut().zip([0, 2, 4]) {
            let pair = &digits[at..at + 2];
            let hexadecimal = pair.bytes().all(|digit| digit.is_ascii_hexdigit());
            *part = hexadecimal.then(|| u8::from_str_radix(pair, 16).ok()).flatten().ok_or(AccentError)?;
        }
        Ok(Self(parts))
    }
}

impl fmt::Display for Accent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_six_hexadecimal_digits() {
        assert_eq!("#2456C9".parse::<Accent>().unwrap().to_string(), "#2456c9");
        for bad in ["", "#", "2456c9", "#2456c", "#2456c9a", "#24 6c9", "#+456c9", "#ümläu", "red", "#gggggg"] {
            assert_eq!(bad.parse::<Accent>(), Err(AccentError), "{bad}");
        }
    }

    #[test]
    fn a_colour_without_contrast_is_darkened_and_keeps_its_hue() {
        for readable in ["#000000", "#2456c9", "#767676"] {
            let accent: Accent = readable.parse().unwrap();
            assert_eq!(accent.readable_on_white(), accent);
        }
        for (pale, dark) in [("#ffffff", "#757575"), ("#ffd400", "#8c7400"), ("#00ff00", "#008900")] {
            let accent: Accent = pale.parse().unwrap();
            let readable = accent.readable_on_white();
            assert!(readable.contrast_with_white() >= LEAST_CONTRAST, "{pale}");
            assert_eq!(readable.to_string(), dark, "{pale}");
        }
    }
}
