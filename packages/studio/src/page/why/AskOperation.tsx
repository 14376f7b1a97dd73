import { type FormEvent, type ReactNode, useState } from 'react';
import { useActions, usePage } from '../context.ts';
import { Button } from '../controls/Button.tsx';

/** Asks what became of an operation of a workload, `w1/13`; there where workloads have sent something. */
export function AskOperation(): ReactNode {
  const { guide, atMicros } = usePage();
  const { ask: onAsk } = useActions();
  // The newest of each workload.
  const [first] = guide.seen.history.operations.at(atMicros);
  const [typed, setTyped] = useState('');
  if (!first) return null;
  const suggested = `${first.workload}/${first.turn}`;
  const ask = (event: FormEvent) => {
    event.preventDefault();
    const [, workload = '', turn] = OPERATION.exec(typed || suggested) ?? [];
    if (turn !== undefined) onAsk({ kind: 'operation', atMicros, workload, turn: Number(turn) });
  };
  return (
    <form className="ask-operation" onSubmit={ask}>
      <label className="field">
        <span className="label">operation</span>
        <input
          className="input"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          placeholder={suggested}
          pattern={OPERATION.source}
          title={`WORKLOAD/TURN, as in ${suggested}`}
          size={12}
        />
      </label>
      <Button type="submit" look="ask">
        what became of it?
      </Button>
    </form>
  );
}

const OPERATION = /^(.+)\/([1-9]\d{0,8})$/;
