/**
 * One statement for each shape, made when first asked for and kept. A shape is what is in the
 * statement's text, so there must be few: which index is walked, in which direction, how many rows
 * at most. A limit belongs to the shape because SQLite plans a statement anew at every run when its
 * limit is bound.
 */
export function variants<Shape extends unknown[], Made>(
  make: (...shape: Shape) => Made,
): (...shape: Shape) => Made {
  const kept = new Map<string, Made>();
  return (...shape) => {
    const name = JSON.stringify(shape);
    const known = kept.get(name) ?? make(...shape);
    kept.set(name, known);
    return known;
  };
}
