"""The edge where YAML becomes values: composed with lines, validated once, remembered by digest."""
