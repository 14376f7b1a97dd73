import { type ReactNode, type Ref, useImperativeHandle, useRef } from 'react';
import { KEYS } from './useKeys.ts';

/** What opens the dialog. */
export interface DialogDoor {
  open(): void;
}

/** The page's keys; when it closes, the focus is where it was. */
export function KeysDialog({ door }: { readonly door: Ref<DialogDoor> }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useImperativeHandle(door, () => ({ open: () => dialog.current?.showModal() }));
  return (
    <dialog ref={dialog} aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <table>
        <tbody>
          {KEYS.map(({ name, does }) => (
            <tr key={name}>
              <th scope="row">
                <kbd>{name}</kbd>
              </th>
              <td>{does}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">
              <kbd>Ctrl Z</kbd>
            </th>
            <td>undoes the last click or typing</td>
          </tr>
        </tbody>
      </table>
      <form method="dialog" className="closing">
        <button type="submit">close</button>
      </form>
    </dialog>
  );
}
