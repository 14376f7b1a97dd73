import { type ReactNode, useState } from 'react';
import type { Player } from '../core/run/player.ts';
import { Button } from '../page/controls/Button.tsx';
import { Choice } from '../page/controls/Choice.tsx';
import { LaterApp } from '../page/LaterApp.tsx';
import { Start } from './Start.tsx';
import { type Door, useDoor } from './useDoor.ts';

/** The page where `replsim studio` serves it: with the files to choose from, and what is clicked saved when somebody says so. */
export function DoorBar({ player }: { readonly player: Player }): ReactNode {
  const door = useDoor(player);
  const { begun } = door;
  const back = <Button onClick={door.leave}>all lessons</Button>;
  return (
    <>
      {begun?.text !== undefined && (
        <LaterApp key={begun.turn} player={door.player} text={begun.text} wayOut={{ back }} />
      )}
      {begun && begun.text === undefined && (
        <Start key={begun.turn} player={door.player} files={door.listed} onFile={door.choose} />
      )}
      <nav aria-label="Files" className="door">
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
    <Choice
      label="File"
      isBare
      value={path ?? ''}
      options={[
        ...(path === undefined ? [{ value: '', text: 'no file is open' }] : []),
        ...listed.map((each) => ({ value: each.path, text: `${each.path} – ${each.name}` })),
      ]}
      onChoose={choose}
    />
  );
}

/** Saves, once somebody has said twice that it is wanted. */
function Save({ door: { path, overwrite } }: Props): ReactNode {
  const [isAsking, setIsAsking] = useState(false);
  if (!isAsking) return <Button onClick={() => setIsAsking(true)}>save to {path}</Button>;
  return (
    <>
      <Button
        look="strong"
        onClick={() => {
          setIsAsking(false);
          void overwrite();
        }}
      >
        yes, overwrite {path}
      </Button>
      <Button onClick={() => setIsAsking(false)}>no</Button>
    </>
  );
}

function OtherOnDisk({ door: { path, takeOther, keepOwn } }: Props): ReactNode {
  return (
    <>
      <strong>{path} has changed on disk, and here too.</strong>
      <Button onClick={takeOther}>use the version on disk</Button>
      <Button onClick={keepOwn}>keep the version here</Button>
    </>
  );
}
