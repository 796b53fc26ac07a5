import { Menu } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorNote } from './ErrorNote';
import { NeedsServer } from './NeedsServer';
import { Empty } from './Page';
import { RowMenu } from './RowMenu';
import { Row, Skeleton } from './Table';
import { Ago } from './TimeUntil';
import styles from './Documents.module.css';

/** The links to the views of a page, under its title. The link to the current one has aria-current. */
export function ViewLinks({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className={styles.views} aria-label={label}>
      {children}
    </nav>
  );
}

interface BeforeProps {
  query: UseQueryResult;
  /** Whether the list is empty. */
  empty: boolean;
  /** Who may change the list, for those who may not. */
  note?: ReactNode;
  /** The button to make the first one; false for those who may not. */
  create: ReactNode;
  /** The title of an empty list. */
  none: string;
  /** What the things of the list are for. */
  detail: string;
}

/** What stands before a list, or in its place: the button, who may use it, an error, that there is nothing yet. */
export function BeforeList({ query, empty, note, create, none, detail }: BeforeProps) {
  return (
    <>
      <div className={styles.tools}>
        {note && <span className={styles.note}>{note}</span>}
        {!empty && create}
      </div>
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={3} />}
      {query.isSuccess && empty && (
        <Empty title={none}>
          <p className={styles.none}>{detail}</p>
          {create}
        </Empty>
      )}
    </>
  );
}

interface RowProps<A extends string> {
  name: string;
  /** Whether the name is written in a fixed width, as a word of a program. */
  code?: boolean;
  /** The title and the description of the document, as far as it has them. */
  about?: (string | undefined)[];
  /** Called with a click on the name; without it, the name is no button. */
  onOpen?: () => void;
  changedAt: string;
  changedBy: string;
  /** The name of the menu. */
  menu: string;
  /** The actions of the menu, in order, with their texts; no menu if there is none. */
  actions: readonly (readonly [action: A, text: string])[];
  onAction: (action: A) => void;
  /** The cells between the name and the time of the change. */
  children: ReactNode;
}

/** A row of a list of documents: its name, cells of its own, who changed it and when, and a menu. */
export function DocumentRow<A extends string>(props: RowProps<A>) {
  const { name, code, onOpen, changedAt, changedBy, menu, actions, onAction, children } = props;
  const about = (props.about ?? []).filter(Boolean).join(' · ');
  return (
    <Row className={styles.row}>
      <th scope="row">
        {onOpen ? (
          <button type="button" className={styles.open} onClick={onOpen}>
            <bdi>{name}</bdi>
          </button>
        ) : (
          <bdi className={code ? styles.code : undefined}>{name}</bdi>
        )}
        {about && <small title={about}>{about}</small>}
      </th>
      {children}
      <td className={styles.changed}>
        <Ago at={changedAt} />
        <small>{changedBy}</small>
      </td>
      <td className={styles.actions}>
        {actions.length > 0 && (
          <RowMenu label={menu} width={220}>
            {actions.map(([action, text]) => (
              <NeedsServer key={action}>
                <Menu.Item
                  onClick={() => {
                    onAction(action);
                  }}
                >
                  {text}
                </Menu.Item>
              </NeedsServer>
            ))}
          </RowMenu>
        )}
      </td>
    </Row>
  );
}
