import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { isSame, type Kept, type Listed, list, onChanged, read, save } from '../door/door.ts';
import { heardPlayer } from '../door/heardPlayer.ts';
import { fromFragment, ofText, toFragment } from '../edit/fragment.ts';
import type { Player } from '../run/player.ts';
import { App } from './App.tsx';

interface Props {
  readonly player: Player;
  /** What is shown where there is no file. */
  readonly text: string;
}

/** What the page below is to begin with. Another turn is another page. */
interface Begun {
  readonly turn: number;
  readonly text: string;
}

/** The page where `replsim studio` serves it: with the files to choose from, and what is clicked saved when somebody says so. */
export function DoorBar({ player, text: builtIn }: Props): ReactNode {
  const [listed, setListed] = useState<readonly Listed[]>([]);
  const [kept, setKept] = useState<Kept>();
  /** What lies on disk, where it is neither what was opened nor what the page has. */
  const [other, setOther] = useState<Kept>();
  const [begun, setBegun] = useState<Begun>();
  const [text, setText] = useState<string>();
  const [isAsking, setIsAsking] = useState(false);
  const [told, setTold] = useState('');
  const heard = useMemo(() => heardPlayer(player, setText), [player]);
  const begin = useCallback((next: string) => setBegun((last) => ({ turn: (last?.turn ?? 0) + 1, text: next })), []);
  const failed = useCallback((error: unknown) => setTold(error instanceof Error ? error.message : String(error)), []);

  const open = useCallback(
    (file: Kept, fragment: string) => {
      setKept(file);
      // What the page had is nothing to save there.
      setText(undefined);
      setOther(undefined);
      setIsAsking(false);
      setTold('');
      history.replaceState(undefined, '', `?path=${encodeURIComponent(file.path)}${fragment}`);
      begin(file.text);
    },
    [begin],
  );
  useEffect(() => {
    (async () => {
      const files = await list();
      setListed(files);
      const asked = new URLSearchParams(location.search).get('path');
      const chosen = files.find(({ path }) => path === asked);
      // A link brings a text of its own, which is none of the first file's.
      if (chosen === undefined && location.hash.length > 1) return begin(builtIn);
      const path = chosen?.path ?? files[0]?.path;
      if (path === undefined) return begin(builtIn);
      open(await read(path), chosen === undefined ? '' : location.hash);
    })().catch((error) => {
      failed(error);
      begin(builtIn);
    });
  }, [begin, builtIn, failed, open]);

  /** What somebody else has saved is shown at the same instant, unless it would take away what was clicked here. */
  const look = async (changed = kept?.path) => {
    if (changed === undefined) return;
    if (!listed.some(({ path }) => path === changed)) setListed(await list());
    if (kept?.path !== changed) return;
    const now = await read(changed);
    const here = text ?? shownNow()?.text ?? kept.text;
    if (now.etag === kept.etag) setOther(undefined);
    else if (isSame(here, kept.text)) open(now, movedTo(now.text));
    else if (isSame(here, now.text)) setKept(now);
    else {
      setOther(now);
      setTold('');
    }
  };
  const latest = useRef(look);
  latest.current = look;
  useEffect(() => onChanged((changed) => void latest.current(changed).catch(failed)), [failed]);

  const overwrite = async (file: Kept, now: string) => {
    setIsAsking(false);
    try {
      setKept(await save(file, now));
      setTold(`saved to ${file.path}`);
    } catch (error) {
      failed(error);
    }
  };
  const path = kept?.path;
  const isEdited = kept !== undefined && text !== undefined && !isSame(text, kept.text);
  const choose = (chosen: string) => {
    if (isEdited && !confirm(`What was changed here in ${path} is not saved, and will be gone. Go on?`)) return;
    read(chosen).then((file) => open(file, ''), failed);
  };
  return (
    <>
      {begun && <App key={begun.turn} player={heard} text={begun.text} />}
      <nav aria-label="Files" style={{ position: 'sticky', bottom: 0, display: 'flex', flexWrap: 'wrap', ...BAR }}>
        {listed.length > 0 && (
          <select aria-label="File" value={path ?? ''} onChange={({ target }) => choose(target.value)}>
            {path === undefined && <option value="">a text of no file</option>}
            {listed.map((each) => (
              <option key={each.path} value={each.path}>
                {each.path} – {each.name}
              </option>
            ))}
          </select>
        )}
        {isEdited && !isAsking && !other && (
          <button type="button" onClick={() => setIsAsking(true)}>
            save to {path}
          </button>
        )}
        {isEdited && isAsking && !other && (
          <>
            <button type="button" onClick={() => overwrite(kept, text)}>
              yes, overwrite {path}
            </button>
            <button type="button" onClick={() => setIsAsking(false)}>
              no
            </button>
          </>
        )}
        {other && (
          <>
            <strong>{path} has changed on disk, and here too.</strong>
            <button type="button" onClick={() => open(other, movedTo(other.text))}>
              take the one on disk
            </button>
            <button
              type="button"
              onClick={() => {
                setKept(other);
                setOther(undefined);
              }}
            >
              keep the one here
            </button>
          </>
        )}
        <output>{told}</output>
      </nav>
    </>
  );
}

const BAR = { gap: 10, padding: '6px 10px', background: 'var(--paper)', borderTop: '1px solid var(--edge)' };

const shownNow = () => fromFragment(location.hash.slice(1));

/** The instant, seed and member that are shown now, of another text. */
function movedTo(text: string): string {
  const shown = shownNow();
  return shown === undefined ? '' : `#${toFragment(ofText(shown, text))}`;
}
