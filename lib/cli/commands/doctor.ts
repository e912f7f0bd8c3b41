// How is the store? Everything about it on one screen.

import type { Fixed, StoreFinding, StoreHealth } from '../../store/index.js'
import { storeOptionsOf } from '../arguments.js'
import type { Call, Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `Looks at the store of every agent: both ends of each log, its links, modes and locks, who belongs
to whom, and what was left behind. --deep reads every line, as verify does. Only --fix changes
anything: it takes rights from others and removes what unfinished writes left more than an hour
ago. Logs and entries that are not known are never touched.

Examples:
  $ jsonl-session doctor
  transcripts  41 files   3.2 MiB
  …
  locks        kernel, 1 held
  warning  mode  /home/ada/.jsonl-session/.transcripts/demo.jsonl
    mode 644, so others can reach it; it should be 600

  $ jsonl-session doctor --fix --json
  {"root":"/home/ada/.jsonl-session",…,"isHealthy":true,"findings":[],…,"fixed":[{"path":…}]}

Exit codes:
  0 healthy, or all of it was mended · 1 findings · 2 wrong use, or failed
`

export const doctor: Command = {
  name: 'doctor',
  summary: 'Tell how the whole store is: damage, modes, locks, orphans, sizes',
  operand: '',
  operandText: '',
  options: [
    { name: 'deep', text: 'read every line of every log, and not only its two ends' },
    { name: 'fix', text: 'mend modes, and remove what unfinished writes left; says what it did' },
  ],
  lesson: LESSON,

  async run(call) {
    const found = await examine(call)
    const fixed = call.has('fix') ? await fix(found) : []
    const health = fixed.length > 0 ? await examine(call) : found
    if (call.has('json')) {
      await call.output.write(`${JSON.stringify({ ...health, fixed })}\n`)
    } else {
      await print(call, health, fixed)
    }
    return health.isHealthy ? EXIT.done : EXIT.no
  },
}

async function examine(call: Call): Promise<StoreHealth> {
  const { examineStore } = await import('../../store/index.js')
  const { withCounter } = await import('../progress.js')
  return withCounter(call.notes, (tell) =>
    examineStore({
      ...storeOptionsOf(call),
      deep: call.has('deep'),
      onProgress: ({ done, total }) => tell(`Reading logs … ${done} of ${total}`),
    }),
  )
}

async function fix(health: StoreHealth): Promise<Fixed[]> {
  const { fixStore } = await import('../../store/index.js')
  return fixStore(health)
}

async function print(call: Call, health: StoreHealth, fixed: readonly Fixed[]): Promise<void> {
  const { colorsOf } = await import('../colors.js')
  const { doctorText, fixedText } = await import('../doctor-text.js')
  const colors = colorsOf(call)
  await call.output.write(fixedText(fixed, colors) + doctorText(health, colors))
  await call.output.flush()
  for (const advice of adviceFor(health, call)) call.notes.say(advice)
}

function adviceFor({ findings, isDeep }: StoreHealth, call: Call): string[] {
  const has = (test: (finding: StoreFinding) => boolean) => findings.some(test)
  const advice: string[] = []
  if (has(({ code }) => code === 'damage')) {
    advice.push('`jsonl-session verify <file>` shows where the damage is; logs are never changed.')
  }
  if (!call.has('fix') && has((finding) => finding.fix !== undefined)) {
    advice.push('`jsonl-session doctor --fix` mends modes and removes leftovers.')
  }
  if (!isDeep && findings.length === 0) advice.push('--deep reads every line, and not only ends.')
  return advice
}
