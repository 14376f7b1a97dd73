import { type FormEvent, type ReactNode, useState } from 'react';
import type { Operation } from '../../core/history/operations.ts';
import type { Question } from '../../core/run/player.ts';

interface Props {
  /** The newest of each workload. */
  readonly newest: readonly Operation[];
  readonly atMicros: number;
  readonly onAsk: (question: Question) => void;
}

/** Asks what became of an operation of a workload, `w1/13`; there where workloads have sent something. */
export function AskOperation({ newest, atMicros, onAsk }: Props): ReactNode {
  const [typed, setTyped] = useState('');
  const [first] = newest;
  if (!first) return null;
  const suggested = `${first.workload}/${first.turn}`;
  const ask = (event: FormEvent) => {
    event.preventDefault();
    const [, workload = '', turn] = OPERATION.exec(typed || suggested) ?? [];
    if (turn !== undefined) onAsk({ kind: 'operation', atMicros, workload, turn: Number(turn) });
  };
  return (
    <form className="doings" onSubmit={ask}>
      <label>
        operation{' '}
        <input
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          placeholder={suggested}
          pattern={OPERATION.source}
          title={`WORKLOAD/TURN, as in ${suggested}`}
          size={12}
        />
      </label>
      <button type="submit" className="ask">
        what became of it?
      </button>
    </form>
  );
}

const OPERATION = /^(.+)\/([1-9]\d{0,8})$/;
