import { formatInstant } from '@replsim/kernel';
import Camera from 'lucide-react/icons/camera';
import * as Menu from 'radix-ui/dropdown-menu';
import { type ReactNode, useState } from 'react';
import { usePage } from '../context.ts';
import { diagramAs, instantAs, type Stretch, type Taken, videoFrom } from './pictures.ts';
import { videoType } from './video.ts';

/** So much before the instant that is shown a stretch begins, unless somebody has said where. Unit: µs. */
const USUAL_STRETCH = 2_000_000;

/** Pictures to take away: of this instant, and of a stretch that ends, or begins, here. */
export function PictureMenu(): ReactNode {
  const [markMicros, mark] = useState<number>();
  const [isAtWork, setIsAtWork] = useState(false);
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className="button icon" aria-label="take a picture" aria-busy={isAtWork} disabled={isAtWork}>
        <Camera size={16} aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content className="menu" sideOffset={6} collisionPadding={8}>
          <Pictures markMicros={markMicros} onMark={mark} onWork={setIsAtWork} />
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}

interface PicturesProps {
  /** Where somebody lets the stretch begin, or end. */
  readonly markMicros: number | undefined;
  readonly onMark: (atMicros: number) => void;
  readonly onWork: (isAtWork: boolean) => void;
}

/** What is in the menu: the instant concerns it only while it is open. */
function Pictures({ markMicros, onMark, onWork }: PicturesProps): ReactNode {
  const { guide, atMicros, dispatch } = usePage();
  const { history } = guide.seen;
  const stretch = stretchBetween(markMicros ?? Math.max(0, atMicros - USUAL_STRETCH), atMicros);
  const isStretch = stretch.fromMicros < stretch.toMicros;
  const take = (taken: Promise<Taken>) => {
    onWork(true);
    dispatch({ type: 'refuse', why: undefined });
    taken
      .then(download, (error: unknown) =>
        dispatch({ type: 'refuse', why: `No picture: ${error instanceof Error ? error.message : String(error)}.` }),
      )
      .finally(() => onWork(false));
  };
  return (
    <>
      <Menu.Label className="menu-label">{`The set at ${formatInstant(atMicros)}`}</Menu.Label>
      <Item name="as SVG" onTake={() => take(instantAs('svg', history, atMicros))} />
      <Item name="as PNG" onTake={() => take(instantAs('png', history, atMicros))} />
      <Menu.Separator className="menu-line" />
      <Menu.Label className="menu-label">
        {isStretch
          ? `From ${formatInstant(stretch.fromMicros)} to ${formatInstant(stretch.toMicros)}`
          : 'From here to another instant'}
      </Menu.Label>
      <Item name="let the stretch begin here" onTake={() => onMark(atMicros)} />
      {isStretch && (
        <>
          <Item name="as a sequence diagram (SVG)" onTake={() => take(diagramAs('svg', history, stretch))} />
          <Item name="as a sequence diagram (Mermaid)" onTake={() => take(diagramAs('mmd', history, stretch))} />
          {videoType() !== undefined && <Item name="as a video" onTake={() => take(videoFrom(history, stretch))} />}
        </>
      )}
    </>
  );
}

function Item({ name, onTake }: { readonly name: string; readonly onTake: () => void }): ReactNode {
  return (
    <Menu.Item className="menu-item" onSelect={onTake}>
      {name}
    </Menu.Item>
  );
}

function stretchBetween(one: number, other: number): Stretch {
  return { fromMicros: Math.min(one, other), toMicros: Math.max(one, other) };
}

function download({ name, blob }: Taken): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
