import type { ReactNode } from 'react';
import { useStillPage } from './context.ts';
import { LiveBar } from './LiveBar.tsx';
import { Verdict } from './Verdict.tsx';

/** What is looked at, and what came of it; of a live set, whether it is followed. */
export function Head(): ReactNode {
  const { run, live, guide, state, dispatch } = useStillPage();
  if (live)
    return (
      <>
        <h1>A live set</h1>
        <LiveBar live={live} />
      </>
    );
  const { played } = run;
  const name = played?.kind === 'played' ? played.name : 'replsim studio';
  const seed = state.seed ?? (played?.kind === 'played' ? played.seed : '');
  return (
    <>
      <h1 title={name}>{name}</h1>
      {!guide.open && <Verdict />}
      <label className="field">
        <span className="label">seed</span>
        <input
          className="input seed"
          inputMode="numeric"
          pattern="\d*"
          value={seed}
          onChange={({ target }) => {
            const number = target.value.replace(/\D/g, '');
            dispatch({ type: 'seed', seed: number === '' ? undefined : Number(number) });
          }}
        />
      </label>
    </>
  );
}
