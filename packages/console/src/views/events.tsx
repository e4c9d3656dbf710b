/** The view of events, with filters by kind and account, and the details of one event. */
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { fetchFullEvent } from '../model/calls.ts'
import { formatCount, formatIsoTime, pluralize } from '../model/format.ts'
import { decodeEvent, prettyPayload, summarize } from '../model/read-event.ts'
import type { Row } from '../model/rows.ts'
import { events, signalOfRun, skippedEvents, state } from '../model/store.ts'
import type { ConsoleEvent } from '../model/wire.ts'
import { Choice, Empty, Fact, Line, OpenedHeading, Text, View } from '../parts/common.tsx'
import { ReplayForm } from '../parts/replay-form.tsx'
import { SendForm } from '../parts/send-form.tsx'
import { focusOpenedRow, VirtualList } from '../parts/virtual-list.tsx'

const ANY = 'any'
const kind = signal(ANY)
const account = signal(ANY)
const search = signal('')
/** The rows that a paused list shows; `undefined` if the list is not paused. */
const frozen = signalOfRun<readonly Row<ConsoleEvent>[]>()
const opened = signalOfRun<ConsoleEvent>()
const close = (): void => {
  focusOpenedRow()
  opened.value = undefined
}
/** The open form. `undefined` if none is open. */
const form = signal<'send' | 'replay' | undefined>(undefined)

function matches({ entry }: Row<ConsoleEvent>): boolean {
  if (kind.value !== ANY && entry.kind !== kind.value) return false
  if (account.value !== ANY && !entry.payload.includes(account.value) && entry.accountId !== account.value)
    return false
  const wanted = search.value.trim().toLowerCase()
  if (wanted === '') return true
  return `${entry.eventType} ${entry.requestId} ${entry.position ?? ''} ${entry.payload}`
    .toLowerCase()
    .includes(wanted)
}

export function Events() {
  const all = frozen.value ?? events.value
  const rows = all.filter(matches)
  const kinds = [...new Set(events.value.map(({ entry }) => entry.kind))].sort()
  const accounts = state.value?.apps.flatMap((app) => app.accounts) ?? []
  const missed =
    frozen.value === undefined ? 0 : (events.value.at(-1)?.key ?? 0) - (frozen.value.at(-1)?.key ?? 0)
  return (
    <View
      title="Events"
      about="The events of the service, as frames on the streams: orders, positions and eleven modules. The payload of an event marked invented is not documented in any source."
      actions={
        <>
          <button
            type="button"
            aria-pressed={frozen.value !== undefined}
            onClick={() => {
              frozen.value = frozen.value === undefined ? events.value : undefined
            }}
          >
            {frozen.value === undefined
              ? 'Pause'
              : `Continue${missed > 0 ? ` (${formatCount(missed)} new)` : ''}`}
          </button>
          <button
            type="button"
            aria-expanded={form.value === 'replay'}
            onClick={() => {
              form.value = form.value === 'replay' ? undefined : 'replay'
            }}
          >
            Replay
          </button>
          <button
            type="button"
            class="primary"
            aria-expanded={form.value === 'send'}
            onClick={() => {
              form.value = form.value === 'send' ? undefined : 'send'
            }}
          >
            Send an event
          </button>
        </>
      }
    >
      {form.value === 'send' ? <SendForm /> : null}
      {form.value === 'replay' ? <ReplayForm kinds={kinds} /> : null}
      <div class="filters">
        <Choice
          label="Kind"
          value={kind.value}
          options={[ANY, ...kinds]}
          onChange={(value) => {
            kind.value = value
          }}
        />
        <Choice
          label="Account"
          value={account.value}
          options={[ANY, ...accounts]}
          onChange={(value) => {
            account.value = value
          }}
        />
        <Line
          label="Text"
          type="search"
          placeholder="symbol, cursor, id …"
          value={search.value}
          onInput={(value) => {
            search.value = value
          }}
        />
        <p class="muted small">
          {pluralize(rows.length, 'event')}
          {skippedEvents.value > 0
            ? `; ${formatCount(skippedEvents.value)} skipped, because they came too fast`
            : ''}
        </p>
      </div>
      {events.value.length === 0 ? (
        <Empty title="No events yet">Send an event above, or start a scenario in Time.</Empty>
      ) : (
        <div class={opened.value === undefined ? 'split' : 'split opened'}>
          <VirtualList label="Events, newest first" rows={rows} rowHeight={34}>
            {({ entry }) => <EventRow event={entry} />}
          </VirtualList>
          {opened.value === undefined ? null : <EventDetails event={opened.value} />}
        </div>
      )}
    </View>
  )
}

const isSame = (a: ConsoleEvent | undefined, b: ConsoleEvent): boolean =>
  a !== undefined && a.log === b.log && a.app === b.app && a.index === b.index

function EventRow({ event }: { readonly event: ConsoleEvent }) {
  return (
    <button
      type="button"
      class="row"
      aria-pressed={isSame(opened.value, event)}
      onClick={() => {
        opened.value = isSame(opened.value, event) ? undefined : event
      }}
    >
      <time>{formatIsoTime(event.at)}</time>
      <b class={`kind k-${event.log}`}>{event.kind}</b>
      <span class="ellipsis">{summarize(event)}</span>
      {event.invented ? <span class="badge s-pending">invented</span> : null}
    </button>
  )
}

function EventDetails({ event }: { readonly event: ConsoleEvent }) {
  const [whole, setWhole] = useState<ConsoleEvent | undefined>(undefined)
  useEffect(() => {
    setWhole(undefined)
    if (event.isCut) fetchFullEvent(event).then(setWhole, () => undefined)
  }, [event])
  const shown = event.isCut && isSame(whole, event) ? whole : event
  if (shown === undefined) return null
  const decoded = shown.isCut ? undefined : decodeEvent(shown)
  return (
    <section class="card details" aria-label="Event">
      <OpenedHeading onClose={close}>
        {shown.kind} <span class="muted">{shown.app}</span>
      </OpenedHeading>
      <p class={shown.invented ? 'note' : 'muted small'}>
        {shown.invented
          ? 'Invented: no source documents such a payload. Your program should not depend on it.'
          : 'The payload has the fields of published sources, with random values.'}
      </p>
      <h3>Frame</h3>
      <dl class="facts">
        <Fact name="event type">{shown.eventType}</Fact>
        <Fact name={shown.log === 'trade' ? 'request id' : 'id'}>
          <code>{shown.requestId}</code>
        </Fact>
        <Fact name="time">{shown.at}</Fact>
        {shown.position === undefined ? null : (
          <Fact name="cursor">{shown.position === '' ? 'none' : <code>{shown.position}</code>}</Fact>
        )}
        {shown.accountId === undefined ? null : <Fact name="account">{shown.accountId}</Fact>}
        {shown.contentType === undefined ? null : <Fact name="content type">{shown.contentType}</Fact>}
      </dl>
      <h3>Payload</h3>
      <Text label="Payload">{prettyPayload(shown.payload)}</Text>
      <h3>Decoded</h3>
      {(decoded?.issues ?? []).map((issue) => (
        <p key={issue} class="note small">
          {issue}
        </p>
      ))}
      <Text label="Decoded payload">{decoded?.text ?? '…'}</Text>
    </section>
  )
}
