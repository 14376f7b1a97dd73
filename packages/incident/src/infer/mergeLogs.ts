import { IncidentError } from '../incidentError.ts';
import type { MemberLog } from '../logs/memberLog.ts';

/**
 * The logs by member; several files of one member, such as rotated ones, are put together.
 * @param hosts of the config, for logs that do not say whose they are: then the file's name does
 */
export function logsByHost(logs: readonly MemberLog[], hosts: readonly string[]): ReadonlyMap<string, MemberLog> {
  const byHost = new Map<string, MemberLog>();
  for (const log of logs.toSorted((a, b) => a.firstMs - b.firstMs)) {
    const host = log.host ?? hostNamed(log.file, hosts) ?? sibling(log, byHost);
    if (host === undefined)
      throw new IncidentError(
        log.file,
        1,
        'no line says which member this is the log of; call the file after its host, or add an earlier log of it',
      );
    const before = byHost.get(host);
    byHost.set(host, before === undefined ? log : joined(before, log));
  }
  return byHost;
}

/** `mongo1.log` is of mongo1.example.com. */
function hostNamed(file: string, hosts: readonly string[]): string | undefined {
  const base = file.split('/').at(-1) ?? file;
  const fits = hosts.filter((host) =>
    new RegExp(`(^|[^\\w])${escaped(host.split(/[.:]/)[0] ?? host)}([^\\w]|$)`).test(base),
  );
  return fits.length === 1 ? fits[0] : undefined;
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, '\\$&');
}

/** `mongod.log.1` lies beside `mongod.log`. */
function sibling({ file }: MemberLog, known: ReadonlyMap<string, MemberLog>): string | undefined {
  const stem = (path: string) => path.replace(/\.log\b.*$/, '');
  return [...known].find(([, log]) => stem(log.file) === stem(file))?.[0];
}

function joined(before: MemberLog, after: MemberLog): MemberLog {
  const [first, ...lives] = after.lives;
  const last = before.lives.at(-1);
  const goesOn = first !== undefined && first.started === undefined && last !== undefined;
  const slow = new Map(before.slow);
  for (const [what, each] of after.slow) slow.set(what, { ...each, count: each.count + (slow.get(what)?.count ?? 0) });
  return {
    ...after,
    release: after.release ?? before.release,
    setName: after.setName ?? before.setName,
    oplogSizeMB: after.oplogSizeMB ?? before.oplogSizeMB,
    lives: goesOn
      ? [
          ...before.lives.slice(0, -1),
          { ...first, started: last.started, shutdown: last.shutdown ?? first.shutdown },
          ...lives,
        ]
      : [...before.lives, ...after.lives],
    facts: [...before.facts, ...after.facts],
    firstMs: before.firstMs,
    lastMs: Math.max(before.lastMs, after.lastMs),
    silences: [...before.silences, ...after.silences],
    slow,
    lines: before.lines + after.lines,
    unreadable: before.unreadable ?? after.unreadable,
  };
}
