import type { ListOperation } from '@replsim/protocol';
import type { CallOutcome, RegisterCall, TransactionCall } from '../../src/index.ts';

/** A read or write as a table has it: `n1 w a 3 10-20`, with `!` behind what failed and `?` behind what nobody is sure of. */
export function calls(...lines: readonly string[]): RegisterCall[] {
  return lines.map((line) => {
    const [, client = '', f, key = '', value = '', from, to, mark] =
      /^(\S+) ([rw]) (\S+) (\S+) (\d+)-(\d*)([!?]?)$/.exec(line)!;
    const outcome: CallOutcome = mark === '!' ? 'fail' : mark === '?' || to === '' ? 'info' : 'ok';
    return {
      client,
      kind: f === 'r' ? 'read' : 'write',
      key,
      value: value === '-' ? undefined : value,
      calledMicros: Number(from),
      returnedMicros: outcome === 'info' ? Number.POSITIVE_INFINITY : Number(to),
      outcome,
    };
  });
}

/** A transaction as a table has it: `T1: a+1 b[2,3]`, which appends 1 to a and reads 2 and 3 in b; `T1!` failed, `T1?` nobody knows. */
export function transactions(...lines: readonly string[]): TransactionCall[] {
  return lines.map((line, index) => {
    const [, client = '', mark, text = ''] = /^(\w+)([!?]?): (.*)$/.exec(line)!;
    const operations = text.split(' ').map((word): ListOperation => {
      const [, key = '', value, list] = /^(\w+)(?:\+(\w+)|\[(.*)\])$/.exec(word)!;
      if (value !== undefined) return { f: 'append', key, value };
      return { f: 'read', key, list: list ? list.split(',') : [] };
    });
    const outcome: CallOutcome = mark === '!' ? 'fail' : mark === '?' ? 'info' : 'ok';
    return {
      kind: 'transaction',
      client,
      calledMicros: index * 1000,
      returnedMicros: index * 1000 + 500,
      outcome,
      operations,
    };
  });
}
