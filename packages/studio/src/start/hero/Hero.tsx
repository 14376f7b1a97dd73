import { type ReactNode, useMemo, useState } from 'react';
import type { Shared } from '../../core/edit/fragment.ts';
import { unseen } from '../../core/history/memberAt.ts';
import type { Player } from '../../core/run/player.ts';
import { Fold } from '../../page/controls/Fold.tsx';
import { Caption } from '../../page/time/Caption.tsx';
import { type Run, useRun } from '../../page/useRun.ts';
import { SetView } from '../../set/SetView.tsx';
import { type Act, FAILOVER, LOSS } from './acts.ts';
import { Ending } from './Ending.tsx';
import { plotOf } from './plot.ts';
import { useFilm } from './useFilm.ts';

interface Props {
  readonly player: Player;
  readonly onOpen: (shared: Pick<Shared, 'text'> & Partial<Shared>) => void;
  readonly onFirstLesson: () => void;
  readonly lessonMinutes: number;
}

/** A set that is alive, and one button that kills its primary. */
export function Hero({ player, onOpen, ...first }: Props): ReactNode {
  const [act, setAct] = useState<Act>(FAILOVER);
  const [isTold, setTold] = useState(false);
  const run = useRun(player, act.text, undefined);
  const { history, played } = run;
  const isThis = played === undefined || played.kind === 'mistakes' || played.name === nameOf(act);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the history is the same while it grows
  const plot = useMemo(() => (isThis ? plotOf(history.events) : undefined), [history, history.size, isThis]);
  const film = useFilm(history, plot, isTold, act.id);
  const tell = (next: Act) => {
    setAct(next);
    setTold(true);
  };
  return (
    <section className="hero" aria-label="A set to break">
      <Stage run={run} atMicros={film.atMicros} />
      <div className="hero-words">
        {isTold ? (
          <Caption history={history} atMicros={film.atMicros} />
        ) : (
          <p className="caption">
            {plot ? 'Three members send each other heartbeats. One of them is primary.' : 'Three members start.'}
          </p>
        )}
        <Heard text={film.isOver ? 'The film is over.' : ''} />
        {!isTold && (
          <button type="button" className="deed" disabled={!plot} onClick={() => setTold(true)}>
            Kill the primary
          </button>
        )}
        {film.isOver && plot && (
          <Ending
            act={act}
            plot={plot}
            player={player}
            onAgain={() => tell(act.id === 'failover' ? LOSS : FAILOVER)}
            onOpen={onOpen}
            {...first}
          />
        )}
        {isTold && <Clicked act={act} onOpen={() => onOpen({ text: act.text, atMicros: film.atMicros })} />}
      </div>
    </section>
  );
}

const nameOf = ({ text }: Act) => /^name: (.*)$/m.exec(text)?.[1];

/** Before the run has come, three members that nothing is known of: what is painted first has its size. */
const NOT_YET = {
  atMicros: 0,
  members: ['n1', 'n2', 'n3'].map(unseen),
  cut: [],
  links: [],
  latencyMs: [1, 5],
} as const;
const NO_ZONES: ReadonlyMap<string, string> = new Map();
const nobody = () => {};

function Stage({ run: { history }, atMicros }: { readonly run: Run; readonly atMicros: number }): ReactNode {
  return (
    <figure className="stage" aria-label="The set">
      <SetView
        moment={history.size > 0 ? history.at(atMicros) : NOT_YET}
        history={history}
        zones={NO_ZONES}
        showHeartbeats
        selected={[]}
        onSelect={nobody}
      />
    </figure>
  );
}

function Heard({ text }: { readonly text: string }): ReactNode {
  return (
    <span className="heard" role="status">
      {text}
    </span>
  );
}

/** The text is all there is: whoever wants to go on opens it. */
function Clicked({ act, onOpen }: { readonly act: Act; readonly onOpen: () => void }): ReactNode {
  return (
    <Fold className="clicked" title="Everything you clicked is this scenario">
      <pre>{act.text}</pre>
      <button type="button" onClick={onOpen}>
        Open it
      </button>
    </Fold>
  );
}
