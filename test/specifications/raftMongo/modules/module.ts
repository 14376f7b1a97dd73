import type { Behaviour } from './behaviour.ts';
import { apply, initialState, type State, type Step, serverOf } from './raftMongo.ts';
import type { Terms } from './terms.ts';

/** A module and the `.cfg` that tells TLC what to check in it. */
export interface TlaModule {
  readonly tla: string;
  readonly cfg: string;
}

/**
 * Writes a behaviour as a TLA+ module that extends the unmodified RaftMongo: TLC goes through the states that the run was
 * in, and checks that each step is one of RaftMongo's Next.
 * @param name of the module, which has to be that of its file
 * @param title what ran, for whoever reads the file
 */
export function tlaModule(name: string, title: string, behaviour: Behaviour): TlaModule {
  return { tla: moduleText(name, title, behaviour), cfg: configText(behaviour) };
}

function moduleText(name: string, title: string, { servers, steps, until, overtaken }: Behaviour): string {
  const rule = '-'.repeat(Math.max(4, (78 - ` MODULE ${name} `.length) >> 1));
  return [
    `${rule} MODULE ${name} ${rule}`,
    ...wrapped(`${title}, as a behaviour of RaftMongo, written by replsim.`),
    ...(until ? wrapped(`It ends at ${seconds(until.atMicros)}: ${until.why}.`) : []),
    ...(overtaken > 0 ? wrapped(`Commit points that a newer one overtook on its way are left out: ${overtaken}.`) : []),
    ...wrapped('Terms are numbered by their primaries: one in which nobody was elected is not there.'),
    '',
    'EXTENDS RaftMongo, TLC',
    '',
    '\\* How many steps have been taken.',
    'VARIABLE taken',
    '',
    '\\* So many entries of a term.',
    'Of(n, t) == [k \\in 1..n |-> [term |-> t]]',
    '',
    "\\* A server's variables: term, role, term and index of its commit point, log.",
    'Is(t, r, ct, ci, l) ==',
    '    [term |-> t, role |-> r, commit |-> [term |-> ct, index |-> ci], entries |-> l]',
    '',
    `\\* What became of the servers that a step changed. The set: ${servers.join(', ')}.`,
    'Steps == <<',
    ...stepLines(steps, servers),
    '>>',
    '',
    ...TAKE,
    '='.repeat(78),
    '',
  ].join('\n');
}

const TAKE = [
  'Take ==',
  '    /\\ taken < Len(Steps)',
  "    /\\ taken' = taken + 1",
  '    /\\ LET after == Steps[taken + 1].after',
  '           changed == DOMAIN after',
  '       IN',
  "       /\\ currentTerm' = [s \\in Server |-> IF s \\in changed THEN after[s].term ELSE currentTerm[s]]",
  "       /\\ state' = [s \\in Server |-> IF s \\in changed THEN after[s].role ELSE state[s]]",
  "       /\\ commitPoint' = [s \\in Server |-> IF s \\in changed THEN after[s].commit ELSE commitPoint[s]]",
  "       /\\ log' = [s \\in Server |-> IF s \\in changed THEN after[s].entries ELSE log[s]]",
  '       /\\ committedEntries\' = IF Steps[taken + 1].action # "AdvanceCommitPoint" THEN committedEntries ELSE',
  '              committedEntries \\union UNION {',
  '                  {[term |-> LogTerm(s, k), index |-> k] :',
  '                      k \\in (commitPoint[s].index + 1)..after[s].commit.index} : s \\in changed}',
  '',
  'RunSpec == Init /\\ taken = 0 /\\ [][Take]_<<vars, taken>>',
];

function stepLines(steps: readonly Step[], servers: readonly string[]): string[] {
  let state = initialState(servers);
  return steps.map((step, i) => {
    state = apply(state, step);
    const changed = [step.server, ...(step.voters ?? []).filter((name) => name !== step.server)];
    const after = changed.map((name) => `(${quoted(name)} :> ${serverText(state, name)})`).join(' @@ ');
    const comma = i === steps.length - 1 ? '' : ',';
    return `    [action |-> ${quoted(step.action)}, after |-> ${after}]${comma} \\* ${i + 1}: ${seconds(step.atMicros)}`;
  });
}

function serverText(all: State, name: string): string {
  const { currentTerm, state, commitPoint, log } = serverOf(all, name);
  return `Is(${currentTerm}, ${quoted(state)}, ${commitPoint.term}, ${commitPoint.index}, ${logText(log)})`;
}

function logText(log: Terms): string {
  return log.length === 0 ? '<< >>' : log.map(([term, count]) => `Of(${count}, ${term})`).join(' \\o ');
}

function configText({ servers, steps }: Behaviour): string {
  return [
    'SPECIFICATION RunSpec',
    '',
    'CONSTANTS',
    `    Server = {${servers.map(quoted).join(', ')}}`,
    `    MaxClientWriteSize = ${mostWritten(steps, servers)}`,
    '',
    '\\* Every step is one that RaftMongo allows.',
    'PROPERTY SpecBehavior',
    '',
    'INVARIANTS',
    '    NoTwoPrimariesInSameTerm',
    '    NeverRollbackCommitted',
    '    NeverRollbackBeforeCommitPoint',
    '',
    '\\* The run ends.',
    'CHECK_DEADLOCK FALSE',
    '',
  ].join('\n');
}

function mostWritten(steps: readonly Step[], servers: readonly string[]): number {
  let state = initialState(servers);
  let most = 1;
  for (const step of steps) {
    const next = apply(state, step);
    if (step.action === 'ClientWrite') most = Math.max(most, length(next, step.server) - length(state, step.server));
    state = next;
  }
  return most;
}

function length(state: State, name: string): number {
  return serverOf(state, name).log.reduce((sum, [, count]) => sum + count, 0);
}

/** A TLA+ string. */
function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function seconds(micros: number): string {
  return `${(micros / 1_000_000).toFixed(6)}s`;
}

/** Comment lines of at most 100 characters. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '\\*';
  for (const word of text.split(/\s+/)) {
    if (line.length + word.length > 100) {
      lines.push(line);
      line = '\\*';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
