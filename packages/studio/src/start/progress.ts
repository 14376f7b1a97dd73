const KEY = 'replsim lessons done';

/** Which lessons have been walked to their ends in this browser; none where it keeps nothing. */
export function lessonsDone(): ReadonlySet<string> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return new Set(Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : []);
  } catch {
    return new Set();
  }
}

/** Remembers a lesson, if the browser lets a page do so. */
export function keepDone(id: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify([...new Set(lessonsDone()).add(id)]));
  } catch {
    // A page from a file, or in a private window, may be refused: then the list has no marks, and all else is the same.
  }
}
