import { formatInstant } from '@replsim/kernel';
import { formatLogLine } from '@replsim/protocol';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { History } from '../../core/history/history.ts';
import { Box } from '../Box.tsx';

/** So many lines are shown. */
const SHOWN = 200;

interface Props {
  readonly history: History;
  readonly member: string;
  readonly atMicros: number;
  readonly onGo: (atMicros: number) => void;
}

/** What a member has logged by an instant, as its mongod writes it, newest at the end; a click goes to the instant of a line. */
export function LogView({ history, member, atMicros, onGo }: Props): ReactNode {
  const [component, setComponent] = useState<string>();
  const [severity, setSeverity] = useState<string>();
  const { components, severities } = useMemo(() => history.logs.kinds(member), [history, member]);
  const filter = { ...(component !== undefined && { component }), ...(severity !== undefined && { severity }) };
  const { lines, earlier } = history.logs.at(member, atMicros, filter, SHOWN);
  const box = useRef<HTMLElement>(null);
  const newest = lines.at(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the newest line
  useEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [newest]);
  return (
    <section aria-label={`Log of ${member}`}>
      <h2>{`Log of ${member}`}</h2>
      <div className="filters">
        <Choice label="component" all={components} chosen={component} onChoose={setComponent} />
        <Choice label="severity" all={severities} chosen={severity} onChoose={setSeverity} />
        {earlier > 0 && <span className="hint">{`${earlier} earlier lines are not shown.`}</span>}
        {lines.length === 0 && <span className="hint">No such line yet.</span>}
      </div>
      <Box label={`Lines of the log of ${member}`} ref={box}>
        <ol className="log">
          {lines.map(({ atMicros: instant, line, wallMs }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number in the log
            <li key={earlier + i}>
              <button type="button" className="plain-button" onClick={() => onGo(instant)}>
                <time>{formatInstant(instant)}</time> <code>{formatLogLine(line, wallMs)}</code>
              </button>
            </li>
          ))}
        </ol>
      </Box>
    </section>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly all: readonly string[];
  readonly chosen: string | undefined;
  readonly onChoose: (value: string | undefined) => void;
}

function Choice({ label, all, chosen, onChoose }: ChoiceProps): ReactNode {
  return (
    <label>
      {label}{' '}
      <select value={chosen ?? ''} onChange={({ target }) => onChoose(target.value || undefined)}>
        <option value="">all</option>
        {all.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </label>
  );
}
