/** Sends what was sent again: a program has to notice that it knows it already. */
import { useState } from 'preact/hooks'
import { act } from '../model/calls.ts'
import { counted } from '../model/format.ts'
import { state } from '../model/store.ts'
import { AppChoice, Choice } from './common.tsx'

const ANY = 'any'

/** @param props.kinds - Kinds of the events that are known. */
export function ReplayForm({ kinds }: { readonly kinds: readonly string[] }) {
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({})
  const { apps = [] } = state.value ?? {}
  const app = apps.find(({ name }) => name === fields.app) ?? apps[0]
  const of = (name: string): string => fields[name] ?? ANY
  const set = (name: string) => (value: string) => setFields({ ...fields, [name]: value })
  const submit = (event: Event): void => {
    event.preventDefault()
    const chosen = ['kind', 'accountId'].filter((name) => of(name) !== ANY)
    void act(
      'replay',
      {
        app: app?.name,
        count: Number(fields.count ?? '10'),
        ...Object.fromEntries(chosen.map((name) => [name, of(name)])),
      },
      ({ sent }) =>
        sent === 0
          ? 'Nothing of this kind was sent yet.'
          : `${counted(Number(sent), 'event')} sent again, unchanged.`,
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
        <AppChoice apps={apps} app={app} onChange={set('app')} />
        <button type="submit" class="primary">
          Send again
        </button>
      </div>
      <p class="muted small">
        Unchanged, with ids and cursors as they were: a program that knows them takes none of them twice.
      </p>
    </form>
  )
}
