import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { fromFragment, toFragment } from '../edit/fragment.ts';
import { type Edited, forkAt, insertStep, type NewStep } from '../edit/insertStep.ts';
import type { History } from '../history/history.ts';
import type { Stop } from '../history/stops.ts';
import type { LiveSet } from '../live/liveSet.ts';
import type { Player, Question } from '../run/player.ts';
import { headOf, zonesOf } from '../start/head.ts';
import { Announcer } from './Announcer.tsx';
import { AskOperation } from './AskOperation.tsx';
import { Compare } from './Compare.tsx';
import { CompareSet } from './CompareSet.tsx';
import { Controls } from './Controls.tsx';
import { Doings } from './Doings.tsx';
import { Editor, type EditorDoor } from './Editor.tsx';
import { Head } from './Head.tsx';
import { type DialogDoor, KeysDialog } from './KeysDialog.tsx';
import { LessonPanel } from './LessonPanel.tsx';
import { LessonFocus, ReadingChoice, tabInFocus } from './LessonReading.tsx';
import { LiveText } from './LiveText.tsx';
import { OplogView } from './OplogView.tsx';
import { SetView } from './SetView.tsx';
import { Story } from './Story.tsx';
import { Tabs } from './Tabs.tsx';
import { Timeline, type TimelineDoor } from './Timeline.tsx';
import { useCompare } from './useCompare.ts';
import { useInstant } from './useInstant.ts';
import { useKeys } from './useKeys.ts';
import { useLesson } from './useLesson.ts';
import { useLookTabs } from './useLookTabs.tsx';
import { usePlayback } from './usePlayback.ts';
import { useRun } from './useRun.ts';
import type { Second } from './useSecond.ts';
import { Why } from './Why.tsx';

interface Props {
  readonly player: Player;
  /** What is shown where no link says otherwise. */
  readonly text: string;
  /** A set at work, in the place of a text: it plays, and what is clicked is done to it. */
  readonly live?: LiveSet;
  /** What leads away from here: to other scenarios, if there are any. */
  readonly wayOut?: WayOut;
}

interface WayOut {
  readonly back: ReactNode;
  /** Where to go on at the end of a lesson. */
  readonly next?: (text: string) => ReactNode;
  /** Somebody has come to the end of a lesson. */
  readonly done?: (text: string) => void;
}

/** The page: the text is all it knows, and everything else is what a run of it shows at an instant. */
export function App({ player, text: given, live, wayOut }: Props): ReactNode {
  const shared = useMemo(() => (live ? undefined : fromFragment(location.hash.slice(1))), [live]);
  const [text, setText] = useState(shared?.text ?? given);
  const [seed, setSeed] = useState(shared?.seed);
  const [selected, setSelected] = useState<readonly string[]>(shared?.member === undefined ? [] : [shared.member]);
  const [showHeartbeats, setShowHeartbeats] = useState(false);
  const [question, setQuestion] = useState<Question>();
  /** Why what was clicked last was not done. */
  const [cannot, setCannot] = useState<string>();
  /** What is to stand in the editor, as soon as there is one. */
  const [edited, setEdited] = useState<Edited>();
  const editor = useRef<EditorDoor>(null);
  const timeline = useRef<TimelineDoor>(null);
  const keys = useRef<DialogDoor>(null);
  const compare = useCompare(player, live === undefined, shared?.second);
  const run = useRun(compare.player, text, seed);
  const instant = useInstant(run.history, live, shared?.atMicros ?? 0);
  const { atMicros, setAtMicros } = instant;
  const guide = useLesson(run, instant, (shared?.second ? undefined : shared?.reading) ?? 'free');
  const { reading, seen, open, withinSeen } = guide;
  const { played } = run;
  const { history, lines } = seen;
  const moment = useMemo(() => seen.history.at(atMicros), [seen, atMicros]);
  /** Of what is still veiled, a second run would tell. */
  const canCompare = !live && reading === 'free';
  const { second, traced } = compare;
  const other = second?.run.history;
  const endMicros = Math.max(history.endMicros, other?.endMicros ?? 0);
  const playback = usePlayback(atMicros, other ? endMicros : guide.goalMicros, setAtMicros);
  const play = () => {
    if (playback.isPlaying || guide.setOut()) playback.toggle();
  };
  const [member] = selected.length === 1 ? selected : [];
  const step = useCallback(
    (direction: 1 | -1, kind: Stop) => setAtMicros((at) => nearest([history, other], at, direction, member, kind)),
    [history, other, member, setAtMicros],
  );
  useKeys({
    play,
    step,
    jump: (where) => setAtMicros(where === 'home' ? 0 : endMicros),
    zoom: (factor) => timeline.current?.zoom(factor),
    pan: (share) => timeline.current?.pan(share),
    fit: () => timeline.current?.fit(),
    undo: () => editor.current?.undo(),
    compare: () => canCompare && compare.toggle(),
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
  const description = useMemo(() => headOf(text).description, [text]);
  const zones = useMemo(() => zonesOf(text), [text]);
  const otherZones = useMemo(() => zonesOf(second?.shared.text ?? ''), [second?.shared.text]);
  useEffect(() => {
    if (live) return;
    const said = setTimeout(() => {
      const looks = { ...(seed !== undefined && { seed }), ...(member !== undefined && { member }), reading };
      const both = second && { second: second.shared };
      globalThis.history.replaceState(undefined, '', `#${toFragment({ text, atMicros, ...looks, ...both })}`);
    }, LINK_PAUSE_MS);
    return () => clearTimeout(said);
  }, [live, text, atMicros, seed, member, reading, second]);

  const shows = { atMicros, onGo: setAtMicros };
  const change = (now: string) => {
    guide.read('free');
    setText(now);
  };
  /** Whoever changes the text has a scenario of one's own, of which nothing is veiled. */
  const put = (edited: Edited) => {
    guide.read('free');
    setEdited(edited);
  };
  useEffect(() => {
    if (!edited) return;
    editor.current?.replace(edited.text, edited.line);
    setEdited(undefined);
  }, [edited]);
  const act = (step: NewStep) => {
    if (live) {
      live.act(step, instant.isNow).then(setCannot);
      return;
    }
    const edited = insertStep(text, atMicros, step, run.history.steps);
    setCannot(edited ? undefined : NO_PLACE);
    if (edited) put(edited);
  };
  const fork = () => put({ text: forkAt(text, atMicros, run.history.steps), line: Number.MAX_SAFE_INTEGER });
  return (
    <main className={second ? 'comparing' : ''}>
      <Announcer moment={moment} isPlaying={playback.isPlaying} />
      <KeysDialog door={keys} />
      <header>
        <Head
          run={run}
          live={live}
          instant={instant}
          showsVerdict={!open}
          seed={seed}
          onSeed={(next) => {
            setSeed(next);
            // It is another run, with other instants.
            if (reading !== 'free') guide.read(reading);
          }}
          onFailed={setCannot}
        />
        {!live && <ReadingChoice guide={guide} />}
        {canCompare && (
          <button type="button" aria-pressed={compare.isOn} title="c" onClick={compare.toggle}>
            compare
          </button>
        )}
        {wayOut?.back}
        {reading !== 'free' && (
          <LessonPanel
            guide={guide}
            description={description}
            atMicros={atMicros}
            onAsk={setQuestion}
            whatNext={wayOut?.next?.(text)}
            onEnd={() => reading === 'lesson' && wayOut?.done?.(text)}
          />
        )}
      </header>
      <LessonFocus guide={guide} />
      {canCompare && compare.isOn && (
        <Compare first={{ text, seed, traced }} given={compare.given} onSecond={compare.setSecond} onGo={setAtMicros} />
      )}
      <section className="set" aria-label="The set">
        <div className="sets">
          <figure aria-label="The set of the run">
            {other && <figcaption>the first run</figcaption>}
            <SetView
              moment={moment}
              epochSecs={history.epochSecs}
              flights={history.traffic.at(atMicros)}
              showHeartbeats={showHeartbeats}
              selected={selected}
              zones={zones}
              onSelect={setSelected}
            />
          </figure>
          {other && (
            <CompareSet
              history={other}
              atMicros={atMicros}
              showHeartbeats={showHeartbeats}
              selected={selected}
              zones={otherZones}
              onSelect={setSelected}
            />
          )}
        </div>
        {second && <p className="hint">{whereActed(second)}</p>}
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
        <Timeline
          history={history}
          second={second && { history: second.run.history, likeness: second.compared?.likeness }}
          atMicros={atMicros}
          isLed={reading !== 'free'}
          onScrub={setAtMicros}
          door={timeline}
        />
        <Controls
          playback={{ ...playback, toggle: play }}
          atMicros={atMicros}
          endMicros={endMicros}
          member={member}
          onStep={step}
          onGo={setAtMicros}
          onHelp={() => keys.current?.open()}
          onFork={live ? undefined : fork}
        />
        {second && <p className="hint">The oplogs of the first run:</p>}
        <OplogView history={history} moment={moment} onAsk={setQuestion} />
        {other && <p className="hint">The oplogs of the second run:</p>}
        {other && <OplogView history={other} moment={other.at(atMicros)} onAsk={compare.ask} />}
      </section>
      <section className="text" aria-label={live ? 'What was done' : 'The scenario'}>
        {live ? (
          <LiveText live={live} />
        ) : open ? (
          <p className="hint">The text tells what comes: it is here when all is answered, or the lesson is left.</p>
        ) : (
          <Editor
            text={text}
            mistakes={played?.kind === 'mistakes' ? played.mistakes : NO_MISTAKES}
            onChange={change}
            door={editor}
            isForReading={reading !== 'free'}
          />
        )}
      </section>
      <section className="told" aria-label="A closer look">
        {second && <p className="hint">A look at the first run, but for the story of the second.</p>}
        <Tabs
          label="What is looked at"
          wanted={tabInFocus(guide)}
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
            ...(second
              ? [
                  {
                    name: 'story of the second run',
                    panel: (
                      <Story
                        lines={second.run.lines}
                        atMicros={atMicros}
                        member={member}
                        members={second.run.history.memberNames}
                        onGo={setAtMicros}
                        onAsk={compare.ask}
                      />
                    ),
                  },
                ]
              : []),
            ...(live ? [] : lookTabs),
          ]}
        />
      </section>
      <section className="reasons" aria-label="Reasons">
        <AskOperation newest={history.operations.at(atMicros)} atMicros={atMicros} onAsk={setQuestion} />
        <Why player={player} question={question} run={played} within={withinSeen} {...shows} onAsk={setQuestion} />
        {second && <p className="hint">Above of the first run, below of the second:</p>}
        {second && (
          <Why
            player={second.player}
            question={compare.question}
            run={second.run.played}
            {...shows}
            onAsk={compare.ask}
          />
        )}
      </section>
    </main>
  );
}

/** The next event of whichever run has one first. */
function nearest(
  histories: readonly (History | undefined)[],
  atMicros: number,
  direction: 1 | -1,
  member: string | undefined,
  kind: Stop,
): number {
  const found = histories.flatMap((history) => history?.neighbour(atMicros, direction, member, kind) ?? []);
  if (found.length === 0) return atMicros;
  return direction === 1 ? Math.min(...found) : Math.max(...found);
}

function whereActed({ shared }: Second): string {
  return shared.by
    ? 'What is clicked becomes a line of both texts: the second is made of the first.'
    : 'What is clicked becomes a line of the first text alone: the second is one of its own.';
}

/** The address follows when somebody stays at an instant: browsers refuse one that changes with every frame. */
const LINK_PAUSE_MS = 200;
const NO_MISTAKES: readonly never[] = [];
const NO_PLACE =
  'The text has no list of steps, each on lines of its own, in which that could stand: write “steps:” and below it “- advance: 10s”.';
