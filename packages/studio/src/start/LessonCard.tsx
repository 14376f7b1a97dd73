import type { ReactNode } from 'react';
import { factsOf, type LessonFacts } from './lessonFacts.ts';
import type { Listed } from './lessonList.ts';

interface Props {
  readonly lesson: Listed;
  readonly number: number;
  readonly isDone: boolean;
  readonly onOpen: () => void;
}

/** A lesson to choose: what its run looks like, how long it takes, and what one will know. */
export function LessonCard({ lesson, number, isDone, onOpen }: Props): ReactNode {
  const facts = factsOf(lesson.id);
  return (
    <li>
      <button type="button" className="card" onClick={onOpen}>
        {facts && <SetPicture svg={facts.picture} />}
        {facts && <RunPicture lanes={facts.lanes} />}
        <span className="card-head">
          {`Lesson ${number}`}
          {facts && ` · ${facts.minutes} min`}
          {isDone && <span className="done"> ✓ done</span>}
        </span>
        <strong>{lesson.title}</strong>
        <span className="about">{lesson.about}</span>
      </button>
    </li>
  );
}

/** The set at an instant of its run, drawn when the page was built. */
function SetPicture({ svg }: { readonly svg: string }): ReactNode {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: our own text, which a test makes of the run
  return <span className="set-picture" aria-hidden="true" dangerouslySetInnerHTML={{ __html: svg }} />;
}

/** Unit: px. */
const LANE = 8;
const GAP = 3;

/** Who was what and when, in the time of the film. */
function RunPicture({ lanes }: Pick<LessonFacts, 'lanes'>): ReactNode {
  return (
    <svg
      className="run-picture"
      viewBox={`0 0 1000 ${lanes.length * (LANE + GAP) - GAP}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {lanes.map((lane, row) =>
        lane.map(({ look, to }, i) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a picture never changes
            key={`${row} ${i}`}
            className={look}
            x={lane[i - 1]?.to ?? 0}
            y={row * (LANE + GAP)}
            width={to - (lane[i - 1]?.to ?? 0)}
            height={LANE}
          />
        )),
      )}
    </svg>
  );
}
