/** What of a list goes with what is typed so far: all of it if that is in the list, as somebody may want another. */
export function suggestionsFor(typed: string, all: readonly string[]): readonly string[] {
  if (all.includes(typed)) return all;
  const wanted = typed.trim().toLowerCase();
  return all.filter((each) => each.toLowerCase().includes(wanted));
}

/** Which of so many a key leads to, from one of them or from none (-1); undefined if it leads nowhere. */
export function ledTo(key: string, from: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return (from + 1) % count;
  if (key === 'ArrowUp') return from <= 0 ? count - 1 : from - 1;
  return undefined;
}
