import { Menu } from '@mantine/core';
import { cloneElement, createContext, type MouseEvent, type ReactElement, type ReactNode, useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from './Toasts';

const Disconnected = createContext(false);

/** The element with the reason why commands are disabled. */
const REASON_ID = 'hg-disconnected';

/** Tells the controls inside whether the server cannot be reached. */
export function ServerReach({ disconnected, children }: { disconnected: boolean; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Disconnected value={disconnected}>
      {children}
      <span hidden id={REASON_ID}>
        {t('disconnected')}
      </span>
    </Disconnected>
  );
}

interface ControlProps {
  title?: string;
  onClick?: (event: MouseEvent<never>) => void;
  onChange?: () => void;
  'aria-disabled'?: boolean;
  'aria-describedby'?: string;
  'data-disconnected'?: boolean;
  renderRoot?: (props: object) => ReactElement;
}

/** The keys of a menu pass over its disabled items. This one is only named so, and the keys reach its reason. */
const disabledItem = { renderRoot: (props: object) => <button type="button" {...props} aria-disabled /> };

/**
 * A control that starts a command, such as a button or an item of a menu. While the server cannot be reached, it is
 * disabled, but keeps the focus: screen readers read the reason with its name, and pressing it shows the reason.
 * A tooltip may surround it: the control gets all other props.
 */
export function NeedsServer({ children, ...others }: { children: ReactElement }) {
  const disconnected = useContext(Disconnected);
  const { t } = useTranslation();
  const control = children as ReactElement<ControlProps>;
  if (!disconnected) return cloneElement(control, { ...others, ...control.props });
  return cloneElement(control, {
    ...others,
    ...control.props,
    ...(control.type === Menu.Item && disabledItem),
    title: t('disconnected'),
    'aria-disabled': true,
    'aria-describedby': REASON_ID,
    'data-disconnected': true,
    onClick: (event) => {
      event.preventDefault();
      event.stopPropagation();
      toast(t('disconnected'));
    },
    // React reports the change of a switch although its click is prevented.
    ...(control.props.onChange && { onChange: () => undefined }),
  });
}

/** Returns a function that says whether a command may start. While the server cannot be reached, it shows why not. */
export function useCommandGuard(): () => boolean {
  const disconnected = useContext(Disconnected);
  const { t } = useTranslation();
  return () => {
    if (disconnected) toast(t('disconnected'));
    return !disconnected;
  };
}
