import type { Row } from './row.ts';
import { DUE, N1, ONE_LEADER, THREE, TTL } from './sets.ts';

export const events: readonly Row[] = [
  {
    what: 'No heartbeat was answered, and an election came of it',
    silence: true,
    set: THREE,
    steps: [N1, 'advance: 2s', 'kill: n1', 'advance: 12s'],
    ask: 'event --on n2',
    answer: [
      '   21.556s #982 n2: its disk has finished the journal; n2 has config version 1: n1, n2, n3; n2 writes no-op "new primary" at (21,2 t2); n2 accepts writes, in term 2',
      '   21.554s #980 heartbeat reply: Connection refused of n1 reaches n2; n2 has nothing to catch up with',
      '   21.552s #979 replSetHeartbeat of n2 reaches n1',
      '   21.549s #976 heartbeat reply: Connection refused of n1 reaches n2',
      '   21.548s #974 replSetHeartbeat of n2 reaches n1',
      '   21.544s #969 heartbeat reply: Connection refused of n1 reaches n2',
      '   21.542s #968 replSetHeartbeat of n2 reaches n1',
      '   21.540s #966 vote reply of n3 reaches n2; n2 wins term 2 with 2 votes; n2 is PRIMARY, and does not accept writes yet',
      '   21.537s #965 n3: its disk has finished the journal; n3 votes for n2 in term 2',
      '   21.535s #963 replSetRequestVotes of n2 reaches n3',
      '   21.531s #961 n2: its disk has finished the journal',
      '   21.529s #960 vote reply of n3 reaches n2',
      '   21.525s #958 replSetRequestVotes of n2 reaches n3; n3 would vote for n2',
      '   21.523s #956 n2: its election timeout has passed, as 57 heartbeats to n1 went unanswered since 12.453s; n2 asks for votes in a dry run, in term 1: it heard from no primary within the election timeout',
      '   12.445s #584 kill: n1; n1 is killed',
    ],
  },
  {
    what: 'A deletion, back to the monitor’s timer',
    silence: false,
    set: ONE_LEADER,
    steps: [N1, TTL, DUE, 'advance: { to: 60.1s }'],
    ask: 'event --on n3',
    answer: [
      '   60.003s #1230 n3: it has applied a batch; n3 applies delete from app.s at (60,1 t1)',
      '   60.003s #1229 n3: it has written what it fetched to its oplog',
      '   60.003s #1228 fetch reply of n1 reaches n3',
      '   60.001s #1227 n1: it continues operation 12; n1 writes delete from app.s at (60,1 t1); n1 ttl pass: deleted 1 from app.s',
      '   60.001s #1226 n1: it continues operation 12',
      '   60.001s #1223 n1: its TTL monitor continues',
      '    0.000s #2 n1’s process begins',
      '    0.000s #0 time zero: the set is started',
    ],
  },
  {
    what: 'A pause, back to the step',
    silence: false,
    set: ONE_LEADER,
    steps: [N1, 'advance: 2s', 'pause: n3'],
    ask: 'event --on n3',
    answer: ['   12.445s #582 pause: n3; n3 is paused (SIGSTOP)'],
  },
];
