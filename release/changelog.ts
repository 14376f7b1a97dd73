const UNRELEASED = '## Unreleased\n';

/**
 * The changelog with what was unreleased under a version. People write it, by kinds of changes; what changesets say in a sentence each
 * stands above that.
 * @param date of the release, as YYYY-MM-DD
 * @throws Error if there is nothing to release
 */
export function released(text: string, version: string, date: string, summaries: readonly string[]): string {
  const start = text.indexOf(UNRELEASED);
  if (start < 0) throw new Error('CHANGELOG.md has no section "Unreleased"');
  const from = start + UNRELEASED.length;
  const next = text.indexOf('\n## ', from);
  const changes = text.slice(from, next < 0 ? undefined : next).trim();
  if (changes === '') throw new Error('CHANGELOG.md has nothing under "Unreleased"');
  const before = text.slice(0, start);
  const after = next < 0 ? '' : text.slice(next);
  const section = [UNRELEASED, `## ${version} (${date})`, ...summaries.map((summary) => summary.trim()), changes];
  return `${before}${section.map((part) => part.trim()).join('\n\n')}\n${after}`;
}
