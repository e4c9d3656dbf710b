/** The chart of events and requests per second in the last minute, with a table of its numbers. */
import { useId } from 'preact/hooks'
import { RATE_SECONDS, type Rate } from '../model/rates.ts'
import { rates } from '../model/store.ts'

const WIDTH = 600
const HEIGHT = 96
const TOP = 8

export function Chart() {
  const all = rates.value
  const most = Math.max(1, ...all.map(({ events, requests }) => Math.max(events, requests)))
  const last = all.at(-1) ?? { events: 0, requests: 0 }
  const peak = { events: getPeak(all, 'events'), requests: getPeak(all, 'requests') }
  return (
    <figure class="panel chart">
      <figcaption>
        <h2>Last minute</h2>
        <ul class="legend">
          <li class="c-events">
            <b>{last.events}</b> events/s
          </li>
          <li class="c-requests">
            <b>{last.requests}</b> requests/s
          </li>
        </ul>
      </figcaption>
      <Drawing rates={all} most={most} peak={peak} />
      <details>
        <summary>Show the numbers</summary>
        <section class="numbers" tabIndex={0} aria-label="Numbers of the chart">
          <table>
            <caption class="sr">Events and requests per second, newest first</caption>
            <thead>
              <tr>
                <th scope="col">seconds ago</th>
                <th scope="col">events</th>
                <th scope="col">requests</th>
              </tr>
            </thead>
            <tbody>
              {[...all].reverse().map(({ events, requests }, ago) => (
                <tr key={ago}>
                  <td>{ago}</td>
                  <td>{events}</td>
                  <td>{requests}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </figure>
  )
}

const getPeak = (all: readonly Rate[], of: keyof Rate): number => Math.max(0, ...all.map((rate) => rate[of]))

function Drawing({
  rates: all,
  most,
  peak,
}: {
  readonly rates: readonly Rate[]
  readonly most: number
  readonly peak: Rate
}) {
  const id = useId()
  const x = (at: number): number => ((RATE_SECONDS - all.length + at) * WIDTH) / (RATE_SECONDS - 1)
  const y = (value: number): number => HEIGHT - (value / most) * (HEIGHT - TOP)
  const line = (of: keyof Rate): string =>
    all.map((rate, at) => `${at === 0 ? 'M' : 'L'}${x(at).toFixed(1)} ${y(rate[of]).toFixed(1)}`).join('')
  const area = all.length < 2 ? '' : `${line('events')}L${WIDTH} ${HEIGHT}L${x(0).toFixed(1)} ${HEIGHT}Z`
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT + 1}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Last minute: at most ${peak.events} events and ${peak.requests} requests per second`}
    >
      <defs>
        <linearGradient id={id} x1="0" x2="0" y1="0" y2="1">
          <stop class="fade-from" offset="0" />
          <stop class="fade-to" offset="1" />
        </linearGradient>
      </defs>
      <path class="base" d={`M0 ${HEIGHT}H${WIDTH}`} />
      <path class="area" fill={`url(#${id})`} d={area} />
      <path class="line events" d={line('events')} />
      <path class="line requests" d={line('requests')} />
    </svg>
  )
}
