/** The service's clock and what happens by itself: both are steered here. */
import { useState } from 'preact/hooks'
import { act, say } from '../model/calls.ts'
import { durationText, instantText } from '../model/format.ts'
import { hello, nowMs, state } from '../model/store.ts'
import { Area, Choice, Line, View } from '../parts/common.tsx'

const HOUR_MS = 3_600_000
const STEPS = [
  [60_000, '1 minute'],
  [5 * 60_000, '5 minutes'],
  [HOUR_MS, '1 hour'],
  [24 * HOUR_MS, '1 day'],
  [15 * 24 * HOUR_MS, '15 days'],
] as const

export function Time() {
  return (
    <View
      title="Time"
      about="Tokens expire after fifteen days. Nobody waits for that: the clock of the service moves on when you say so, and everything that falls due on the way happens in its order."
    >
      <section class="panel" aria-labelledby="clock">
        <h2 id="clock">Clock</h2>
        <p class="big">
          <time>{instantText(nowMs.value)}</time> <span class="muted">UTC</span>
        </p>
        <p class="buttons">
          {STEPS.map(([ms, text]) => (
            <button key={ms} type="button" onClick={() => void advance(ms)}>
              Advance {text}
            </button>
          ))}
        </p>
        <p class="muted small">Only forwards: what has happened stays.</p>
      </section>
      <Scenarios />
    </View>
  )
}

const advance = (ms: number): Promise<boolean> => act('advance', { ms }, () => `${durationText(ms)} later.`)

const STEPS_EXAMPLE = `{ "steps": [
  { "type": "order", "order": "one", "scene": "PLACED" },
  { "type": "order", "order": "one", "scene": "FINAL_FILLED", "afterMs": 2000 },
  { "type": "drop", "afterMs": 1000 }
] }`

function Scenarios() {
  const isRunning = state.value?.scenarioRunning ?? false
  const names = hello.value?.choices.scenarios ?? []
  const [name, setName] = useState('lifecycles-forever')
  const [intervalMs, setIntervalMs] = useState('1000')
  const [steps, setSteps] = useState('')
  const start = (event: Event): void => {
    event.preventDefault()
    void act('scenario', { start: name, intervalMs: Number(intervalMs) }, () => `${name} has begun.`)
  }
  const startSteps = (event: Event): void => {
    event.preventDefault()
    let read: unknown
    try {
      read = JSON.parse(steps)
    } catch (error) {
      say(`The steps are no JSON: ${error instanceof Error ? error.message : ''}`, true)
      return
    }
    void act('scenario', { start: read }, () => 'Your steps have begun.')
  }
  return (
    <section class="panel" aria-labelledby="scenario">
      <h2 id="scenario">
        Scenario{' '}
        <span class={`badge ${isRunning ? 's-normal' : 's-expired'}`}>
          {isRunning ? 'running' : 'at rest'}
        </span>
      </h2>
      <form class="filters" onSubmit={start}>
        <Choice label="Scenario" value={name} options={names} onChange={setName} />
        <Line label="Milliseconds between steps" type="number" value={intervalMs} onInput={setIntervalMs} />
        <button type="submit" class="primary">
          Start
        </button>
        <button
          type="button"
          disabled={!isRunning}
          onClick={() => void act('scenario', { stop: true }, () => 'The scenario has stopped.')}
        >
          Stop
        </button>
      </form>
      <details>
        <summary>Steps of your own</summary>
        <form onSubmit={startSteps}>
          <Area
            label="Steps, as JSON"
            rows={6}
            value={steps}
            placeholder={STEPS_EXAMPLE}
            onInput={setSteps}
          />
          <p class="buttons">
            <button type="submit">Start these</button>
          </p>
        </form>
      </details>
    </section>
  )
}
