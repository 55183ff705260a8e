//! What pages are made of: layout, charts, words for states and dates.
