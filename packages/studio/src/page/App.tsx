import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { fromFragment, toFragment } from '../edit/fragment.ts';
import { forkAt, insertStep, type NewStep } from '../edit/insertStep.ts';
import type { Stop } from '../history/stops.ts';
import type { LiveSet } from '../live/liveSet.ts';
import type { Player, Question } from '../run/player.ts';
import { Announcer } from './Announcer.tsx';
import { AskOperation } from './AskOperation.tsx';
import { Controls } from './Controls.tsx';
import { Doings } from './Doings.tsx';
import { Editor, type EditorDoor } from './Editor.tsx';
import { type DialogDoor, KeysDialog } from './KeysDialog.tsx';
import { LiveBar } from './LiveBar.tsx';
import { LiveText } from './LiveText.tsx';
import { OplogView } from './OplogView.tsx';
import { SetView } from './SetView.tsx';
import { Story } from './Story.tsx';
import { Tabs } from './Tabs.tsx';
import { Timeline, type TimelineDoor } from './Timeline.tsx';
import { useInstant } from './useInstant.ts';
import { useKeys } from './useKeys.ts';
import { useLookTabs } from './useLookTabs.tsx';
import { usePlayback } from './usePlayback.ts';
import { useRun } from './useRun.ts';
import { Verdict } from './Verdict.tsx';
import { Why } from './Why.tsx';

interface Props {
  readonly player: Player;
  /** What is shown where no link says otherwise. */
  readonly text: string;
  /** A set at work, in the place of a text: it plays, and what is clicked is done to it. */
  readonly live?: LiveSet;
}

/** The page: the text is all it knows, and everything else is what a run of it shows at an instant. */
export function App({ player, text: given, live }: Props): ReactNode {
  const shared = useMemo(() => (live ? undefined : fromFragment(location.hash.slice(1))), [live]);
  const [text, setText] = useState(shared?.text ?? given);
  const [seed, setSeed] = useState(shared?.seed);
  const [selected, setSelected] = useState<readonly string[]>(shared?.member === undefined ? [] : [shared.member]);
  const [showHeartbeats, setShowHeartbeats] = useState(false);
  const [question, setQuestion] = useState<Question>();
  /** Why what was clicked last was not done. */
  const [cannot, setCannot] = useState<string>();
  const editor = useRef<EditorDoor>(null);
  const timeline = useRef<TimelineDoor>(null);
  const keys = useRef<DialogDoor>(null);
  const run = useRun(player, text, seed);
  const { history, lines, played } = run;
  const { atMicros, setAtMicros, isNow, follow } = useInstant(history, live, shared?.atMicros ?? 0);
  const moment = useMemo(() => run.history.at(atMicros), [run, atMicros]);
  const playback = usePlayback(atMicros, history.endMicros, setAtMicros);
  const [member] = selected.length === 1 ? selected : [];
  const step = useCallback(
    (direction: 1 | -1, kind: Stop) => setAtMicros((at) => history.neighbour(at, direction, member, kind) ?? at),
    [history, member, setAtMicros],
  );
  useKeys({
    play: playback.toggle,
    step,
    jump: (where) => setAtMicros(where === 'home' ? 0 : history.endMicros),
    zoom: (factor) => timeline.current?.zoom(factor),
    pan: (share) => timeline.current?.pan(share),
    fit: () => timeline.current?.fit(),
    undo: () => editor.current?.undo(),
    help: () => keys.current?.open(),
  });
  const lookTabs = useLookTabs({
    player,
    run: played,
    history,
    atMicros,
    member,
    onGo: setAtMicros,
    onAsk: setQuestion,
  });
  useEffect(() => {
    if (live) return;
    const said = setTimeout(() => {
      const looks = { ...(seed !== undefined && { seed }), ...(member !== undefined && { member }) };
      globalThis.history.replaceState(undefined, '', `#${toFragment({ text, atMicros, ...looks })}`);
    }, LINK_PAUSE_MS);
    return () => clearTimeout(said);
  }, [live, text, atMicros, seed, member]);

  const act = (step: NewStep) => {
    if (live) {
      live.act(step, isNow).then(setCannot);
      return;
    }
    const edited = insertStep(text, atMicros, step, history.steps);
    setCannot(edited ? undefined : NO_PLACE);
    if (edited) editor.current?.replace(edited.text, edited.line);
  };
  return (
    <main>
      <Announcer moment={moment} isPlaying={playback.isPlaying} />
      <KeysDialog door={keys} />
      <header>
        <h1>{live ? 'A live set' : played?.kind === 'played' ? played.name : 'replsim studio'}</h1>
        {live ? (
          <LiveBar live={live} isNow={isNow} onFollow={follow} onFailed={setCannot} />
        ) : (
          <>
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
          </>
        )}
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
        <Doings moment={moment} selected={selected} onAct={act} onAsk={setQuestion} />
        {cannot && <output className="verdict failed">{cannot}</output>}
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
        <Timeline history={history} atMicros={atMicros} onScrub={setAtMicros} door={timeline} />
        <Controls
          playback={playback}
          atMicros={atMicros}
          endMicros={history.endMicros}
          member={member}
          onStep={step}
          onGo={setAtMicros}
          onHelp={() => keys.current?.open()}
          onFork={
            live
              ? undefined
              : () => editor.current?.replace(forkAt(text, atMicros, history.steps), Number.MAX_SAFE_INTEGER)
          }
        />
        <OplogView history={history} moment={moment} onAsk={setQuestion} />
      </section>
      <section className="text" aria-label={live ? 'What was done' : 'The scenario'}>
        {live ? (
          <LiveText live={live} />
        ) : (
          <Editor
            text={text}
            mistakes={played?.kind === 'mistakes' ? played.mistakes : NO_MISTAKES}
            onChange={setText}
            door={editor}
          />
        )}
      </section>
      <section className="told" aria-label="A closer look">
        <Tabs
          label="What is looked at"
          tabs={[
            {
              name: 'story',
              panel: (
                <Story
                  lines={lines}
                  atMicros={atMicros}
                  member={member}
                  members={history.memberNames}
                  onGo={setAtMicros}
                  onAsk={setQuestion}
                />
              ),
            },
            ...(live ? [] : lookTabs),
          ]}
        />
      </section>
      <section className="reasons" aria-label="Reasons">
        <AskOperation newest={history.operations.at(atMicros)} atMicros={atMicros} onAsk={setQuestion} />
        <Why player={player} question={question} run={played} onGo={setAtMicros} />
      </section>
    </main>
  );
}

/** The address follows when somebody stays at an instant: browsers refuse one that changes with every frame. */
const LINK_PAUSE_MS = 200;
const NO_MISTAKES: readonly never[] = [];
const NO_PLACE =
  'The text has no list of steps, each on lines of its own, in which that could stand: write “steps:” and below it “- advance: 10s”.';
