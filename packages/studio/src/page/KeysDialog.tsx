import X from 'lucide-react/icons/x';
import * as Dialog from 'radix-ui/dialog';
import { type ReactNode, type Ref, useImperativeHandle, useRef, useState } from 'react';
import { KEYS } from './useKeys.ts';

/** What opens the dialog. */
export interface DialogDoor {
  open(): void;
}

/** Those that change the text. */
const OF_TEXT: readonly (readonly [name: string, does: string])[] = [
  ['Ctrl Z', 'undoes the last click or typing'],
  ['Ctrl Y, Ctrl Shift Z', 'does it again'],
];

/** The page's keys; when it closes, the focus is where it was. */
export function KeysDialog({ door }: { readonly door: Ref<DialogDoor> }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const before = useRef<Element>(null);
  useImperativeHandle(door, () => ({
    open: () => {
      before.current = document.activeElement;
      setOpen(true);
    },
  }));
  const back = (event: Event) => {
    event.preventDefault();
    (before.current as HTMLElement | null)?.focus();
  };
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Portal>
        <Dialog.Overlay className="veil" />
        <Dialog.Content className="dialog" aria-describedby={undefined} onCloseAutoFocus={back}>
          <Dialog.Title>Keys</Dialog.Title>
          <table>
            <tbody>
              {[...KEYS.map(({ name, does }) => [name, does] as const), ...OF_TEXT].map(([name, does]) => (
                <tr key={name}>
                  <th scope="row">
                    <kbd>{name}</kbd>
                  </th>
                  <td>{does}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <Dialog.Close className="button icon closing" aria-label="close">
            <X size={16} aria-hidden="true" />
          </Dialog.Close>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
