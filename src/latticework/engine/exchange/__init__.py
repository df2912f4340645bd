"""Exchange: frameworks' own arrays as operands, as results and as `out=`."""
