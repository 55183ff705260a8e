//! Logos: decoded and measured before they are stored, so that no document fails because of a logo.

use std::io::Cursor;

use image::{DynamicImage, ExtendedColorType, ImageDecoder, ImageFormat, ImageReader};
use store::LogoRecord;

/// Largest file, in bytes.
pub const LOGO_LIMIT: usize = 100 * 1024;
/// Longest side, in pixels.
pub const LOGO_SIDE: u32 = 2000;

/// Why a file is refused as a logo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LogoError {
    /// The file is too large.
    #[error("the logo has {0} bytes; the limit is {LOGO_LIMIT}: reduce its size")]
    TooLarge(usize),
    /// The file has another format, such as SVG.
    #[error("the logo is neither a PNG nor a JPEG file: save it as one of them (SVG is not accepted)")]
    Unknown,
    /// The picture has too many pixels.
    #[error("the logo is {0} x {1} pixels; the limit is {LOGO_SIDE} x {LOGO_SIDE}: scale it down")]
    TooManyPixels(u32, u32),
    /// The colours are for printing (CMYK).
    #[error("the logo has CMYK colours: save it with RGB colours")]
    Cmyk,
    /// The file cannot be decoded.
    #[error("the logo is damaged and cannot be decoded: save it again")]
    Damaged,
}

/// Returns a file as a logo, once it is decoded and measured.
///
/// # Errors
/// If it is not a complete PNG or JPEG within the limits.
pub fn logo(bytes: Vec<u8>) -> Result<LogoRecord, LogoError> {
    if bytes.len() > LOGO_LIMIT {
        return Err(LogoError::TooLarge(bytes.len()));
    }
    let format = image::guess_format(&bytes).map_err(|_| LogoError::Unknown)?;
    if !matches!(format, ImageFormat::Png | ImageFormat::Jpeg) {
        return Err(LogoError::Unknown);
    }
    let reader = ImageReader::with_format(Cursor::new(&bytes), format);
    let decoder = reader.into_decoder().map_err(|_| LogoError::Damaged)?;
    let (width, height) = decoder.dimensions();
    if width > LOGO_SIDE || height > LOGO_SIDE {
        return Err(LogoError::TooManyPixels(width, height));
    }
    if decoder.original_color_type() == ExtendedColorType::Cmyk8 {
        return Err(LogoError::Cmyk);
    }
    DynamicImage::from_decoder(decoder).map_err(|_| LogoError::Damaged)?;
    Ok(LogoRecord { media_type: format.to_mime_type().to_owned(), width, height, bytes })
}

#[cfg(test)]
mod tests {
    use image::codecs::png::{CompressionType, FilterType, PngEncoder};

    use super::*;

    fn encoded(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        DynamicImage::new_rgb8(width, height).write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn png_and_jpeg_are_measured() {
        for (format, media_type) in [(ImageFormat::Png, "image/png"), (ImageFormat::Jpeg, "image/jpeg")] {
            let bytes = encoded(300, 100, format);
            let kept = logo(bytes.clone()).unwrap();
            assert_eq!(kept, LogoRecord { media_type: media_type.to_owned(), width: 300, height: 100, bytes });
        }
    }

    #[test]
    fn a_file_that_is_not_a_logo_is_refused_with_what_to_do() {
        let mut large = Vec::new();
        let encoder = PngEncoder::new_with_quality(&mut large, CompressionType::Best, FilterType::NoFilter);
        DynamicImage::new_luma8(5000, 4000).write_with_encoder(encoder).unwrap();
        assert!(large.len() <= LOGO_LIMIT, "20 megapixels fit into {} bytes", large.len());
        assert_eq!(logo(large), Err(LogoError::TooManyPixels(5000, 4000)));
        assert_eq!(logo(vec![0; LOGO_LIMIT + 1]), Err(LogoError::TooLarge(LOGO_LIMIT + 1)));
        for other in [&b""[..], b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"GIF89a\x01\x00\x01\x00", b"%PDF-1.7"] {
            assert_eq!(logo(other.to_vec()), Err(LogoError::Unknown));
        }
        let mut cut = encoded(300, 100, ImageFormat::Png);
        cut.truncate(cut.len() / 2);
        assert_eq!(logo(cut), Err(LogoError::Damaged));
        assert_eq!(logo(b"\x89PNG\r\n\x1a\n with no picture".to_vec()), Err(LogoError::Damaged));
    }
}
