import { formatInstant } from '@replsim/kernel';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { fromFragment, toFragment } from '../edit/fragment.ts';
import { forkAt, insertStep, type NewStep } from '../edit/insertStep.ts';
import type { Player, Question } from '../run/player.ts';
import { type Action, actionsBetween, actionsOn } from './actions.ts';
import { Editor, type EditorDoor } from './Editor.tsx';
import { OplogView } from './OplogView.tsx';
import { SetView } from './SetView.tsx';
import { Story } from './Story.tsx';
import { Timeline } from './Timeline.tsx';
import { useKeys } from './useKeys.ts';
import { usePlayback } from './usePlayback.ts';
import { useRun } from './useRun.ts';
import { Why } from './Why.tsx';

interface Props {
  readonly player: Player;
  /** What is shown where no link says otherwise. */
  readonly text: string;
}

/** The page: the text is all it knows, and everything else is what a run of it shows at an instant. */
export function App({ player, text: given }: Props): ReactNode {
  const shared = useMemo(() => fromFragment(location.hash.slice(1)), []);
  const [text, setText] = useState(shared?.text ?? given);
  const [seed, setSeed] = useState(shared?.seed);
  const [atMicros, setAtMicros] = useState(shared?.atMicros ?? 0);
  const [selected, setSelected] = useState<readonly string[]>(shared?.member === undefined ? [] : [shared.member]);
  const [showHeartbeats, setShowHeartbeats] = useState(false);
  const [question, setQuestion] = useState<Question>();
  /** What was clicked last found no place in the text. */
  const [cannot, setCannot] = useState(false);
  const editor = useRef<EditorDoor>(null);
  const run = useRun(player, text, seed);
  const { history, lines, played } = run;
  const moment = useMemo(() => run.history.at(atMicros), [run, atMicros]);
  const playback = usePlayback(atMicros, history.endMicros, setAtMicros);
  const [member] = selected.length === 1 ? selected : [];
  const step = useCallback(
    (direction: 1 | -1) => setAtMicros((at) => history.neighbour(at, direction, member) ?? at),
    [history, member],
  );
  useKeys({ play: playback.toggle, step, undo: () => editor.current?.undo() });
  useEffect(() => {
    const said = setTimeout(() => {
      const looks = { ...(seed !== undefined && { seed }), ...(member !== undefined && { member }) };
      globalThis.history.replaceState(undefined, '', `#${toFragment({ text, atMicros, ...looks })}`);
    }, LINK_PAUSE_MS);
    return () => clearTimeout(said);
  }, [text, atMicros, seed, member]);

  const act = (step: NewStep) => {
    const edited = insertStep(text, atMicros, step, history.steps);
    setCannot(edited === undefined);
    if (edited) editor.current?.replace(edited.text, edited.line);
  };
  return (
    <main>
      <header>
        <h1>{played?.kind === 'played' ? played.name : 'replsim studio'}</h1>
        <Verdict run={run} />
        <label>
          seed{' '}
          <input
            type="number"
            min={0}
            value={seed ?? (played?.kind === 'played' ? played.seed : '')}
            onChange={({ target }) => setSeed(target.value === '' ? undefined : Number(target.value))}
          />
        </label>
      </header>
      <section className="set" aria-label="The set">
        <SetView
          moment={moment}
          epochSecs={history.epochSecs}
          flights={history.traffic.at(atMicros)}
          showHeartbeats={showHeartbeats}
          selected={selected}
          onSelect={setSelected}
        />
        <Doings
          moment={moment}
          selected={selected}
          onAct={act}
          onAsk={(kind) => setQuestion(questionOf(kind, atMicros, member))}
        />
        {cannot && (
          <output className="verdict failed">
            The text has no list of steps, each on lines of its own, in which that could stand: write “steps:” and below
            it “- advance: 10s”.
          </output>
        )}
        <label className="heartbeats">
          <input
            type="checkbox"
            checked={showHeartbeats}
            onChange={({ target }) => setShowHeartbeats(target.checked)}
          />{' '}
          heartbeats
        </label>
      </section>
      <section className="time" aria-label="Time">
        <Timeline history={history} atMicros={atMicros} onScrub={setAtMicros} />
        <div className="controls">
          <button type="button" onClick={() => step(-1)} title="previous event: [">
            ◀ event
          </button>
          <button type="button" onClick={playback.toggle} title="space">
            {playback.isPlaying ? '❚❚' : '▶'}
          </button>
          <button type="button" onClick={() => step(1)} title="next event: ]">
            event ▶
          </button>
          <label>
            speed{' '}
            <select value={playback.speed} onChange={({ target }) => playback.setSpeed(Number(target.value))}>
              {[0.01, 0.1, 1, 10, 100].map((each) => (
                <option key={each} value={each}>
                  {each} ×
                </option>
              ))}
            </select>
          </label>
          <output>
            {formatInstant(atMicros)} of {formatInstant(history.endMicros)}
          </output>
          <button
            type="button"
            onClick={() => editor.current?.replace(forkAt(text, atMicros, history.steps), Number.MAX_SAFE_INTEGER)}
          >
            fork from here
          </button>
        </div>
        <OplogView history={history} moment={moment} />
      </section>
      <section className="text" aria-label="The scenario">
        <Editor
          text={text}
          mistakes={played?.kind === 'mistakes' ? played.mistakes : NO_MISTAKES}
          onChange={setText}
          door={editor}
        />
      </section>
      <section className="told" aria-label="The story">
        <Story lines={lines} atMicros={atMicros} member={member} onGo={setAtMicros} />
      </section>
      <section className="reasons" aria-label="Reasons">
        <Why player={player} question={question} run={played} onGo={setAtMicros} />
      </section>
    </main>
  );
}

/** The address follows when somebody stays at an instant: browsers refuse one that changes with every frame. */
const LINK_PAUSE_MS = 200;
const NO_MISTAKES: readonly never[] = [];

function Verdict({ run: { played } }: { readonly run: ReturnType<typeof useRun> }): ReactNode {
  if (!played) return <output className="verdict">playing …</output>;
  if (played.kind === 'mistakes')
    return (
      <output className="verdict failed">{`${played.mistakes.length} mistakes in the text: the last run stays`}</output>
    );
  return played.ok ? (
    <output className="verdict held">all held</output>
  ) : (
    <output className="verdict failed" title={played.failure?.detail}>
      {played.failure?.title}
    </output>
  );
}

interface DoingsProps {
  readonly moment: ReturnType<ReturnType<typeof useRun>['history']['at']>;
  readonly selected: readonly string[];
  readonly onAct: (step: NewStep) => void;
  readonly onAsk: (kind: 'primary' | 'state' | 'write') => void;
}

/** What can be done to what is selected, and asked of it. */
function Doings({ moment, selected, onAct, onAsk }: DoingsProps): ReactNode {
  const [one, other] = selected;
  const member = other === undefined ? moment.members.find(({ name }) => name === one) : undefined;
  const isCut = moment.cut.some(([from, to]) => selected.includes(from) && selected.includes(to));
  const actions: readonly Action[] = member
    ? actionsOn(member)
    : one !== undefined && other !== undefined
      ? actionsBetween(one, other, isCut)
      : [];
  return (
    <div className="doings">
      <strong>{selected.length === 0 ? 'Click a member or a line between two.' : selected.join(' – ')}</strong>
      {actions.map(({ label, step }) => (
        <button type="button" key={label} title={step.texts.join('; ')} onClick={() => onAct(step)}>
          {label}
        </button>
      ))}
      {member && (
        <>
          <button type="button" className="ask" onClick={() => onAsk('primary')}>
            why not primary?
          </button>
          <button type="button" className="ask" onClick={() => onAsk('state')}>
            why this state?
          </button>
        </>
      )}
      {!member && (
        <button type="button" className="ask" onClick={() => onAsk('primary')}>
          why is there no primary?
        </button>
      )}
      <button type="button" className="ask" onClick={() => onAsk('write')}>
        what does a majority wait for?
      </button>
    </div>
  );
}

function questionOf(kind: 'primary' | 'state' | 'write', atMicros: number, member: string | undefined): Question {
  if (kind === 'state' && member !== undefined) return { kind, atMicros, member };
  if (kind === 'write') return { kind, atMicros };
  return { kind: 'primary', atMicros, ...(member !== undefined && { member }) };
}
