//! Logos: decoded and measured before they are stored, so that no document fails because of a logo.

use std::io::Cursor;

use png::Transformations;
use store::LogoRecord;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Largest file, in bytes.
pub const LOGO_LIMIT: usize = 100 * 1024;
/// Longest side, in pixels.
pub const LOGO_SIDE: u32 = 2000;

/// The first bytes of a PNG file.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
/// The first bytes of a JPEG file.
const JPEG: &[u8] = b"\xff\xd8\xff";

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
/// If it is not a PNG or JPEG file within the limits that can be decoded.
pub fn logo(bytes: Vec<u8>) -> Result<LogoRecord, LogoError> {
    if bytes.len() > LOGO_LIMIT {
        return Err(LogoError::TooLarge(bytes.len()));
    }
    let (media_type, (width, height)) = if bytes.starts_with(PNG) {
        ("image/png", decode_png(&bytes)?)
    } else if bytes.starts_with(JPEG) {
        ("image/jpeg", decode_jpeg(&bytes)?)
    } else {
        return Err(LogoError::Unknown);
    };
    Ok(LogoRecord { media_type: media_type.to_owned(), width, height, bytes })
}

/// Decodes a PNG file and returns its width and height.
fn decode_png(bytes: &[u8]) -> Result<(u32, u32), LogoError> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::EXPAND);
    let header = decoder.read_header_info().map_err(|_| LogoError::Damaged)?;
    let size = within_limits(header.width, header.height)?;
    let mut reader = decoder.read_info().map_err(|_| LogoError::Damaged)?;
    let mut pixels = vec![0; reader.output_buffer_size().ok_or(LogoError::Damaged)?];
    reader.next_frame(&mut pixels).map_err(|_| LogoError::Damaged)?;
    Ok(size)
}

/// Decodes a JPEG file and returns its width and height.
fn decode_jpeg(bytes: &[u8]) -> Result<(u32, u32), LogoError> {
    // The decoder's own limit would call a file with too many pixels damaged.
    let options = DecoderOptions::default().set_max_width(usize::MAX).set_max_height(usize::MAX).set_strict_mode(false);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|_| LogoError::Damaged)?;
    let header = decoder.info().ok_or(LogoError::Damaged)?;
    let size = within_limits(header.width.into(), header.height.into())?;
    if matches!(decoder.input_colorspace(), Some(ColorSpace::CMYK | ColorSpace::YCCK)) {
        return Err(LogoError::Cmyk);
    }
    decoder.decode().map_err(|_| LogoError::Damaged)?;
    Ok(size)
}

fn within_limits(width: u32, height: u32) -> Result<(u32, u32), LogoError> {
    if width > LOGO_SIDE || height > LOGO_SIDE {
        return Err(LogoError::TooManyPixels(width, height));
    }
    Ok((width, height))
}

#[cfg(test)]
mod tests {
    use png::{BitDepth, ColorType, Compression, Encoder};

    use super::*;

    const JPEG_FILE: &[u8] = include_bytes!("logo/rgb.jpg");
    const CMYK_FILE: &[u8] = include_bytes!("logo/cmyk.jpg");

    /// Returns an empty picture as a PNG file.
    fn empty(width: u32, height: u32, colors: ColorType) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, width, height);
        encoder.set_color(colors);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::High);
        let pixels = vec![0; width as usize * height as usize * colors.samples()];
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        bytes
    }

    /// Returns the JPEG file with another size in its header.
    fn with_size(width: u16, height: u16) -> Vec<u8> {
        let mut bytes = JPEG_FILE.to_vec();
        // The marker of a frame, its length and the depth of its colours come before its size.
        let size = 5 + bytes.windows(2).position(|marker| marker == [0xff, 0xc0]).unwrap();
        bytes[size..size + 4].copy_from_slice(&[height.to_be_bytes(), width.to_be_bytes()].concat());
        bytes
    }

    #[test]
    fn png_and_jpeg_are_measured() {
        for (bytes, media_type) in [(empty(300, 100, ColorType::Rgb), "image/png"), (JPEG_FILE.to_vec(), "image/jpeg")]
        {
            let kept = logo(bytes.clone()).unwrap();
            assert_eq!(kept, LogoRecord { media_type: media_type.to_owned(), width: 300, height: 100, bytes });
        }
    }

    #[test]
    fn a_file_that_is_not_a_logo_is_refused_with_what_to_do() {
        let large = empty(5000, 4000, ColorType::Grayscale);
        assert!(large.len() <= LOGO_LIMIT, "20 megapixels fit into {} bytes", large.len());
        // Of this picture, there is nothing but its header to be decoded.
        assert_eq!(logo(large[..33].to_vec()), Err(LogoError::TooManyPixels(5000, 4000)));
        assert_eq!(logo(large), Err(LogoError::TooManyPixels(5000, 4000)));
        assert!(logo(empty(2000, 2000, ColorType::Grayscale)).is_ok());
        for (width, height) in [(2001, 1), (1, 2001)] {
            let refused = Err(LogoError::TooManyPixels(width, height));
            assert_eq!(logo(empty(width, height, ColorType::Grayscale)), refused);
            assert_eq!(logo(with_size(width as u16, height as u16)), refused);
        }
        assert_eq!(logo(vec![0; 102_401]), Err(LogoError::TooLarge(102_401)));
        for other in [&b""[..], b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"GIF89a\x01\x00\x01\x00", b"%PDF-1.7"] {
            assert_eq!(logo(other.to_vec()), Err(LogoError::Unknown));
        }
        assert_eq!(logo(CMYK_FILE.to_vec()), Err(LogoError::Cmyk));
        let png = empty(300, 100, ColorType::Rgb);
        assert_eq!(logo(png[..png.len() / 2].to_vec()), Err(LogoError::Damaged));
        assert_eq!(logo(b"\x89PNG\r\n\x1a\n with no picture".to_vec()), Err(LogoError::Damaged));
        assert_eq!(logo(b"\xff\xd8\xff with no picture".to_vec()), Err(LogoError::Damaged));
    }
}
