import { formatInstant } from '@replsim/kernel';
import { formatLogLine } from '@replsim/protocol';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useActions, usePage } from '../context.ts';
import { Box } from '../controls/Box.tsx';
import { Choice } from '../controls/Choice.tsx';

/** So many lines are shown. */
const SHOWN = 200;

/** What a member has logged by an instant, as its mongod writes it, newest at the end; a click goes to the instant of a line. */
export function LogView({ member }: { readonly member: string }): ReactNode {
  const { guide, atMicros } = usePage();
  const { go } = useActions();
  const { history } = guide.seen;
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
      <div className="filters">
        <OneOf label="component" all={components} chosen={component} onChoose={setComponent} />
        <OneOf label="severity" all={severities} chosen={severity} onChoose={setSeverity} />
        {earlier > 0 && <span className="hint">{`${earlier} earlier lines are not shown.`}</span>}
        {lines.length === 0 && <span className="hint">No such line yet.</span>}
      </div>
      <Box label={`Lines of the log of ${member}`} ref={box}>
        <ol className="log">
          {lines.map(({ atMicros: instant, line, wallMs }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number in the log
            <li key={earlier + i}>
              <button type="button" className="plain-button" onClick={() => go(instant)}>
                <time>{formatInstant(instant)}</time> <code>{formatLogLine(line, wallMs)}</code>
              </button>
            </li>
          ))}
        </ol>
      </Box>
    </section>
  );
}

interface OneOfProps {
  readonly label: string;
  readonly all: readonly string[];
  readonly chosen: string | undefined;
  readonly onChoose: (value: string | undefined) => void;
}

function OneOf({ label, all, chosen, onChoose }: OneOfProps): ReactNode {
  return (
    <Choice
      label={label}
      value={chosen ?? ''}
      options={[{ value: '', text: 'all' }, ...all.map((each) => ({ value: each, text: each }))]}
      onChoose={(value) => onChoose(value || undefined)}
    />
  );
}
