/** The form that sends events again, to test how a program handles duplicates. */
import { useState } from 'preact/hooks'
import { sendAction } from '../model/calls.ts'
import { pluralize } from '../model/format.ts'
import { findApp } from '../model/store.ts'
import { AppChoice, Choice } from './common.tsx'

const ANY = 'any'

/** @param props.kinds - Kinds of the received events. */
export function ReplayForm({ kinds }: { readonly kinds: readonly string[] }) {
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({})
  const app = findApp(fields.app)
  const of = (name: string): string => fields[name] ?? ANY
  const set = (name: string) => (value: string) => setFields({ ...fields, [name]: value })
  const submit = (event: Event): void => {
    event.preventDefault()
    const chosen = ['kind', 'accountId'].filter((name) => of(name) !== ANY)
    void sendAction(
      'replay',
      {
        app: app?.name,
        count: Number(fields.count ?? '10'),
        ...Object.fromEntries(chosen.map((name) => [name, of(name)])),
      },
      ({ sent }) =>
        sent === 0
          ? 'No such event was sent yet.'
          : `${pluralize(Number(sent), 'event')} sent again, unchanged.`,
    )
  }
  return (
    <form class="panel send" onSubmit={submit} aria-label="Replay events">
      <div class="filters">
        <Choice
          label="Replay the last"
          value={fields.count ?? '10'}
          options={['1', '10', '100', '1000']}
          onChange={set('count')}
        />
        <Choice label="of kind" value={of('kind')} options={[ANY, ...kinds]} onChange={set('kind')} />
        <Choice
          label="of account"
          value={of('accountId')}
          options={[ANY, ...(app?.accounts ?? [])]}
          onChange={set('accountId')}
        />
        <AppChoice app={app} onChange={set('app')} />
        <button type="submit" class="primary">
          Send again
        </button>
      </div>
      <p class="muted small">
        The events keep their ids and cursors, so that your program can recognize the duplicates.
      </p>
    </form>
  )
}
