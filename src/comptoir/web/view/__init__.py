"""What one person sees: a table, a replay or a picture, as HTML and SVG made from what they may know."""
