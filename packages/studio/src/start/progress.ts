/** What somebody can have done, and under which name the browser keeps it. */
const KEYS = { lessons: 'replsim lessons done', challenges: 'replsim challenges done' } as const;
type Kind = keyof typeof KEYS;

/** Which lessons have been walked to their ends in this browser, or which challenges solved; none where it keeps nothing. */
export function doneOf(kind: Kind): ReadonlySet<string> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEYS[kind]) ?? '[]');
    return new Set(Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : []);
  } catch {
    return new Set();
  }
}

/** Remembers one, if the browser lets a page do so. */
export function keepDone(kind: Kind, id: string): void {
  try {
    localStorage.setItem(KEYS[kind], JSON.stringify([...new Set(doneOf(kind)).add(id)]));
  } catch {
    // A page from a file, or in a private window, may be refused: then the list has no marks, and all else is the same.
  }
}
