/** Forgets what a map has held longest, until `most` entries are left: a checker's memory must not grow with the run. */
export function keepNewest<Key>(map: Map<Key, unknown>, most: number): void {
  if (map.size <= most) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    if (map.size <= most) return;
  }
}
