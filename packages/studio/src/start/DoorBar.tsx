import { type ReactNode, useState } from 'react';
import type { Player } from '../core/run/player.ts';
import { App } from '../page/App.tsx';
import { Start } from './Start.tsx';
import { type Door, useDoor } from './useDoor.ts';

/** The page where `replsim studio` serves it: with the files to choose from, and what is clicked saved when somebody says so. */
export function DoorBar({ player }: { readonly player: Player }): ReactNode {
  const door = useDoor(player);
  const { begun } = door;
  const back = (
    <button type="button" className="plain" onClick={door.leave}>
      all lessons
    </button>
  );
  return (
    <>
      {begun?.text !== undefined && <App key={begun.turn} player={door.player} text={begun.text} wayOut={{ back }} />}
      {begun && begun.text === undefined && (
        <Start key={begun.turn} player={door.player} files={door.listed} onFile={door.choose} />
      )}
      <nav aria-label="Files" style={{ position: 'sticky', bottom: 0, display: 'flex', flexWrap: 'wrap', ...BAR }}>
        <FileChoice door={door} />
        {door.other ? <OtherOnDisk door={door} /> : door.isEdited && <Save key={begun?.turn} door={door} />}
        <output>{door.told}</output>
      </nav>
    </>
  );
}

interface Props {
  readonly door: Door;
}

function FileChoice({ door: { listed, path, choose } }: Props): ReactNode {
  if (listed.length === 0) return null;
  return (
    <select
      aria-label="File"
      // As wide as its longest option it would push the page over the edge.
      style={{ maxWidth: '100%' }}
      value={path ?? ''}
      onChange={({ target }) => choose(target.value)}
    >
      {path === undefined && <option value="">no file is open</option>}
      {listed.map((each) => (
        <option key={each.path} value={each.path}>
          {each.path} – {each.name}
        </option>
      ))}
    </select>
  );
}

/** Saves, once somebody has said twice that it is wanted. */
function Save({ door: { path, overwrite } }: Props): ReactNode {
  const [isAsking, setIsAsking] = useState(false);
  if (!isAsking)
    return (
      <button type="button" onClick={() => setIsAsking(true)}>
        save to {path}
      </button>
    );
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setIsAsking(false);
          void overwrite();
        }}
      >
        yes, overwrite {path}
      </button>
      <button type="button" onClick={() => setIsAsking(false)}>
        no
      </button>
    </>
  );
}

function OtherOnDisk({ door: { path, takeOther, keepOwn } }: Props): ReactNode {
  return (
    <>
      <strong>{path} has changed on disk, and here too.</strong>
      <button type="button" onClick={takeOther}>
        use the version on disk
      </button>
      <button type="button" onClick={keepOwn}>
        keep the version here
      </button>
    </>
  );
}

const BAR = { gap: 10, padding: '6px 10px', background: 'var(--surface)', borderTop: '1px solid var(--line-strong)' };
