import ArrowDown from 'lucide-react/icons/arrow-down-to-line';
import CircleHelp from 'lucide-react/icons/circle-question-mark';
import Clock from 'lucide-react/icons/clock-plus';
import Download from 'lucide-react/icons/download';
import FilePlus from 'lucide-react/icons/file-plus';
import Heal from 'lucide-react/icons/link';
import Pause from 'lucide-react/icons/pause';
import Play from 'lucide-react/icons/play';
import Power from 'lucide-react/icons/power';
import Skull from 'lucide-react/icons/skull';
import Timer from 'lucide-react/icons/timer';
import Cut from 'lucide-react/icons/unlink';
import type { ReactNode } from 'react';
import type { Moment } from '../../core/history/history.ts';
import type { Question } from '../../core/run/player.ts';
import { useActions, usePage } from '../context.ts';
import { Button } from '../controls/Button.tsx';
import { isEmbedded } from '../embedding.ts';
import { type Action, actionsBetween, actionsOn } from './actions.ts';

/** What can be done to what is selected, and asked of it. */
export function Doings(): ReactNode {
  const { moment, state } = usePage();
  const { act } = useActions();
  const { selected } = state;
  return (
    <div className="doings" role="toolbar" aria-label="What can be done">
      <strong className="selected-name">
        {selected.length === 0 ? 'Click a member or a line between two.' : selected.join(' – ')}
      </strong>
      {(isEmbedded() ? [] : actionsFor(moment, selected)).map(({ label, step }) => (
        <Button key={label} icon={iconOf(label)} title={step.texts.join('; ')} onClick={() => act(step)}>
          {label}
        </Button>
      ))}
      <Questions />
    </div>
  );
}

function actionsFor(moment: Moment, [one, other]: readonly string[]): readonly Action[] {
  const member = other === undefined ? moment.members.find(({ name }) => name === one) : undefined;
  if (member) return actionsOn(member);
  if (one === undefined || other === undefined) return [];
  const isCut = moment.cut.some((pair) => pair.includes(one) && pair.includes(other));
  return actionsBetween(one, other, isCut);
}

/** By how a label begins. */
const ICONS = [
  ['kill', Skull],
  ['shut down', Power],
  ['pause', Pause],
  ['go on', Play],
  ['start', Play],
  ['clock', Clock],
  ['step down', ArrowDown],
  ['insert', FilePlus],
  ['fetch', Download],
  ['stop fetching', Download],
  ['heal', Heal],
  ['cut', Cut],
] as const;

function iconOf(label: string): ReactNode {
  const Icon = ICONS.find(([begin]) => label.startsWith(begin))?.[1] ?? Timer;
  return <Icon size={14} aria-hidden="true" />;
}

/** What one may ask of what is selected. */
function Questions(): ReactNode {
  const { moment, state } = usePage();
  const { ask } = useActions();
  const [one, other] = state.selected;
  const member = other === undefined ? moment.members.find(({ name }) => name === one) : undefined;
  const asked = (kind: Kind, text: string) => (
    <Button
      key={kind}
      look="ask"
      icon={<CircleHelp size={14} aria-hidden="true" />}
      onClick={() => ask(questionOf(kind, moment.atMicros, member?.name))}
    >
      {text}
    </Button>
  );
  return (
    <>
      {member && !isPrimary(member) && asked('primary', 'why not primary?')}
      {member && asked('state', 'why this state?')}
      {member && asked('vote', 'how did it vote, and why?')}
      {!member && !moment.members.some(isPrimary) && asked('primary', 'why is there no primary?')}
      {asked('write', 'what is a majority waiting for?')}
    </>
  );
}

function isPrimary({ state, acceptsWrites }: Moment['members'][number]): boolean {
  return state === 'PRIMARY' && acceptsWrites;
}

type Kind = 'primary' | 'state' | 'vote' | 'write';

function questionOf(kind: Kind, atMicros: number, member: string | undefined): Question {
  if ((kind === 'state' || kind === 'vote') && member !== undefined) return { kind, atMicros, member };
  if (kind === 'write') return { kind, atMicros };
  return { kind: 'primary', atMicros, ...(member !== undefined && { member }) };
}
