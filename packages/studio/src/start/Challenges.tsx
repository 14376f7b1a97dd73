import { type ReactNode, useMemo, useState } from 'react';
import { challenges, textOfChallenge } from './challengeList.ts';
import { doneOf } from './progress.ts';

interface Props {
  readonly onOpen: (text: string) => void;
}

/** Twelve tasks, from easy to hard. */
export function Challenges({ onOpen }: Props): ReactNode {
  const done = useMemo(() => doneOf('challenges'), []);
  const [told, setTold] = useState('');
  const solved = challenges.filter(({ id }) => done.has(id)).length;
  const open = (id: string) =>
    textOfChallenge(id).then(onOpen, (error: unknown) =>
      setTold(error instanceof Error ? error.message : String(error)),
    );
  return (
    <section aria-labelledby="challenges">
      <h2 id="challenges">Challenges</h2>
      <p className="hint">
        {`Break the set so that the task is done; the run says whether it is. From easy to hard.${solved > 0 ? ` ${solved} of ${challenges.length} solved` : ''}`}
      </p>
      {/* biome-ignore lint/a11y/noRedundantRoles: a list without marks is none to some screen readers */}
      <ol className="challenges" role="list">
        {challenges.map(({ id, title }, i) => (
          <li key={id}>
            <button type="button" onClick={() => open(id)}>
              <span className="number">{i + 1}</span>
              {title}
              {done.has(id) && <span className="done"> ✓ solved</span>}
            </button>
          </li>
        ))}
      </ol>
      <output className="verdict failed">{told}</output>
    </section>
  );
}
