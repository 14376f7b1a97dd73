import { type DragEvent, type ReactNode, useMemo, useState } from 'react';
import type { Shared } from '../core/edit/fragment.ts';
import type { Player } from '../core/run/player.ts';
import { Challenges } from './Challenges.tsx';
import { Hero } from './hero/Hero.tsx';
import { LessonCard } from './LessonCard.tsx';
import { factsOf } from './lessonFacts.ts';
import { lessons } from './lessonList.ts';
import { doneOf } from './progress.ts';
import { Shelf, type ShelvedFile, StartShelf } from './StartShelf.tsx';

const EMPTY = `name: What I want to know
replicaSet: { members: [n1, n2, n3] }
begin: with a primary
steps:
  - advance: 30s
`;

export interface StartPageProps {
  readonly player: Player;
  readonly onOpen: (shared: Pick<Shared, 'text'> & Partial<Shared>) => void;
  /** The address had a link that cannot be read. */
  readonly isBroken: boolean;
  /** Those of a folder that somebody has named, in the place of those that the page brings. */
  readonly files?: readonly ShelvedFile[] | undefined;
  readonly onFile?: ((path: string) => void) | undefined;
}

/** Where somebody begins who knows nothing of this yet: lessons in their order, and all else there is to open. */
export function StartPage({ player, onOpen, isBroken, files = [], onFile }: StartPageProps): ReactNode {
  const [told, setTold] = useState('');
  const openFile = (file: File | undefined) => {
    if (!file) return;
    file.text().then(
      (text) => onOpen({ text }),
      (error: unknown) => setTold(`${file.name} cannot be read: ${error instanceof Error ? error.message : error}`),
    );
  };
  const [first] = lessons();
  const openFirst = () => first && onOpen({ text: first.text, reading: 'lesson' });
  const drop = (event: DragEvent) => {
    event.preventDefault();
    openFile(event.dataTransfer.files[0]);
  };
  return (
    <main className="start" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <header className="masthead">
        <h1>A replica set that you can break</h1>
        <p>
          It runs in this page by MongoDB’s own rules, in virtual time. Look at any instant, break what you like, ask
          why.
        </p>
      </header>
      {isBroken && (
        <p className="verdict failed" role="alert">
          The link in the address cannot be read, because a part of it is missing. Ask for the whole link.
        </p>
      )}
      <Hero
        player={player}
        onOpen={onOpen}
        onFirstLesson={openFirst}
        lessonMinutes={(first && factsOf(first.id)?.minutes) ?? 5}
      />
      <Lessons onOpen={onOpen} />
      <Challenges onOpen={(text) => onOpen({ text })} />
      <Own onOpen={onOpen} onFile={openFile} told={told} />
      <section aria-labelledby="all">
        <h2 id="all">{files.length > 0 ? 'Scenarios of this folder' : 'All scenarios'}</h2>
        {files.length > 0 ? (
          <Shelf all={files} onOpen={({ path }) => onFile?.(path)} />
        ) : (
          <StartShelf onOpen={(text) => onOpen({ text })} />
        )}
      </section>
    </main>
  );
}

function Lessons({ onOpen }: Pick<StartPageProps, 'onOpen'>): ReactNode {
  const done = useMemo(() => doneOf('lessons'), []);
  return (
    <section aria-labelledby="lessons">
      <h2 id="lessons">Lessons</h2>
      {done.size > 0 && <p className="hint">{`${done.size} of ${lessons().length} done`}</p>}
      {/* biome-ignore lint/a11y/noRedundantRoles: a list without marks is none to some screen readers */}
      <ol className="lessons" role="list">
        {lessons().map((lesson, i) => (
          <LessonCard
            key={lesson.id}
            lesson={lesson}
            number={i + 1}
            isDone={done.has(lesson.id)}
            onOpen={() => onOpen({ text: lesson.text, reading: 'lesson' })}
          />
        ))}
      </ol>
    </section>
  );
}

interface OwnProps extends Pick<StartPageProps, 'onOpen'> {
  readonly onFile: (file: File | undefined) => void;
  /** Why a file could not be read. */
  readonly told: string;
}

function Own({ onOpen, onFile, told }: OwnProps): ReactNode {
  return (
    <section aria-labelledby="own">
      <h2 id="own">Your own</h2>
      <div className="doings">
        <button type="button" onClick={() => onOpen({ text: EMPTY })}>
          an empty scenario
        </button>
        <label className="file">
          a file from your disk
          <input
            type="file"
            className="unseen"
            accept=".yaml,.yml"
            onChange={({ target }) => onFile(target.files?.[0])}
          />
        </label>
        <span className="hint">or drop one on this page</span>
        <output>{told}</output>
      </div>
    </section>
  );
}
