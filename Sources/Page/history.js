// History: the days, weeks, months and years of a device or a person, asked for over the bus.
import { DEVICE_ID, RequestError, parseObject } from './bus.js'
import { drawBars, drawCadence, tone } from './charts.js'
import { choice, download, h, replace, setOptions, setText } from './dom.js'
import { DOING, isNumber } from './gym.js'
import { goalRings } from './goals.js'
import { dateIn, firstDayOf, isDate, neighbour, periodOf, todayOf } from './period.js'
import { askRecords, askRevisions, choicesOf, isKnown } from './records.js'
import { WorkoutList } from './workout-list.js'

/** @typedef {import('./records.js').Bucket} Bucket */

/**
 * How often it is asked whether the shown days have been revised, ms: the more days, the more there is to ask for.
 *
 * @type {Record<import('./period.js').Span, number>}
 */
const REVISION_MS = { day: 5_000, week: 5_000, month: 30_000, year: 60_000 }

/** @type {[key: import('./period.js').Span, text: string][]} */
const SPANS = [['day', 'Day'], ['week', 'Week'], ['month', 'Month'], ['year', 'Year']]

/** @type {Record<string, string>} */
const BAND_TONES = {
  cycling: '--cycling', walking: '--walking', running: '--running', automotive: '--driving', stationary: '--line', unknown: '--line',
}

/**
 * What the bars may show.
 *
 * @type {{ key: string, title: string, value: (bucket: Bucket) => number }[]}
 */
const MEASURES = [
  { key: 'steps', title: 'Steps', value: (bucket) => bucket.steps },
  { key: 'revolutions', title: 'Turns', value: (bucket) => bucket.revolutions },
  { key: 'distance_m', title: 'Distance', value: (bucket) => bucket.distance_m },
  { key: 'active_s', title: 'Active time', value: (bucket) => bucket.active_s },
]

/** @type {Record<string, number>} */
const WEEK_STARTS = { monday: 1, saturday: 6, sunday: 7 }

/** @type {{ unit: 'rpm' | 'spm', title: string }[]} */
const UNITS = [{ unit: 'rpm', title: 'Cadence of the crank' }, { unit: 'spm', title: 'Cadence of steps' }]

/** The view. */
export class HistoryView {
  /**
   * @param {import('./app.js').App} app
   * @param {string} who a device's id, or `@` and a person's name
   * @param {string} [span]
   * @param {string} [date]
   */
  constructor(app, who, span, date) {
    this.app = app
    this.who = who
    this.firstDay = firstDayOf(navigator.language)
    this.span = SPANS.find(([key]) => key === span)?.[0] ?? 'day'
    /** What the address names; null for today, which is another date tomorrow. */
    this.date = date && isDate(date) ? date : null
    /**
     * The last day record of the device or person.
     *
     * @type {Record<string, any> | null}
     */
    this.day = null
    /** @type {{ destroy: () => void }[]} */
    this.charts = []
    /** @type {string | null} */
    this.measure = null
    /** The revisions of the days that are shown, as text. */
    this.revisions = ''
    /** What is shown, as text. */
    this.shownText = ''
    /** @type {(() => void)[]} */
    this.endings = []
    this.isStopped = false
    /** @type {import('./records.js').Records | null} */
    this.shown = null
    /** @type {import('./period.js').Period | null} */
    this.period = null
    /** @type {string | undefined} */
    this.zone = undefined
    this.picker = choice('Of', [[who, this.name || 'Choose a device or person']], who, (value) => this.go({ who: value }))
    /** @type {HTMLInputElement} */
    this.dateInput = h('input', {
      type: 'date', 'aria-label': 'Date', onchange: () => isDate(this.dateInput.value) && this.go({ date: this.dateInput.value }),
    })
    this.status = h('p', { class: 'hint', role: 'status' })
    this.body = h('div', { class: 'history-body' })
    this.goals = h('div')
    this.rest = h('div', { class: 'history-body' })
    this.workouts = new WorkoutList(app, who, this.whose, this.span === 'day')
    this.element = h('section', { class: 'history', 'aria-label': 'History' },
      h('div', { class: 'toolbar' }, this.picker.element, this.spanButtons(), this.stepper()), this.status, this.goals, this.body, this.workouts.element, this.rest)
  }

  get isPerson() {
    return this.who.startsWith('@')
  }

  get name() {
    return this.isPerson ? this.who.slice(1) : this.who
  }

  get whose() {
    return this.isPerson ? { person: this.name } : { device: this.who }
  }

  spanButtons() {
    return h('div', { class: 'segments', role: 'group', 'aria-label': 'How long' }, ...SPANS.map(([key, text]) =>
      h('button', { 'aria-pressed': String(key === this.span), onclick: () => this.go({ span: key }) }, text)))
  }

  stepper() {
    const step = (/** @type {-1 | 1} */ direction) => () =>
      this.period && this.go({ date: neighbour(this.period, direction, this.firstDay).from })
    return h('div', { class: 'row' },
      h('button', { 'aria-label': 'Earlier', onclick: step(-1) }, '‹'), this.dateInput,
      h('button', { 'aria-label': 'Later', onclick: step(1) }, '›'),
      h('button', { onclick: () => this.go({ date: '' }) }, 'Today'))
  }

  /**
   * @param {{ who?: string, span?: string, date?: string }} change
   */
  go({ who = this.who, span = this.span, date = this.date ?? '' }) {
    location.hash = ['history', who, span, date].map(encodeURIComponent).join('/')
  }

  start() {
    if (this.who) {
      this.endings.push(this.app.bus.subscribe(`${this.dayTopic}/day`, (_, bytes) => this.takeDay(parseObject(bytes))))
    }
    this.load()
    const timer = setInterval(() => this.watchRevisions(), REVISION_MS[this.span])
    this.endings.push(() => clearInterval(timer))
  }

  /** Below which the retained day stands: a person whose name is no id has another one there, and the name in the message. */
  get dayTopic() {
    return this.isPerson ? `person/${DEVICE_ID.test(this.name) ? this.name : '+'}` : this.who
  }

  /** @param {Record<string, any> | null} day */
  takeDay(day) {
    if (this.isPerson && day && day.person !== this.name) return
    this.day = day
    replace(this.goals, this.isPerson && goalRings(day, this.app.format))
  }

  /** The date that is shown. */
  get shownDate() {
    return this.date ?? todayOf(Date.now() / 1000, this.zone, this.day)
  }

  stop() {
    this.isStopped = true
    for (const end of this.endings.splice(0)) end()
    this.workouts.stop()
    for (const chart of this.charts.splice(0)) chart.destroy()
  }

  /** Asks for the period and shows it. Returns whether it is not what was shown before. */
  async load() {
    if (!this.shown) setText(this.status, 'Asking…')
    try {
      await this.app.bus.online()
      if (!this.shown) await this.listWho()
      if (!this.who) {
        setText(this.status, 'Choose a device or a person.')
        return false
      }
      const date = this.shownDate
      const before = this.period?.from
      this.period = periodOf(this.span, date, this.firstDay)
      if (this.period.from !== before) this.dateInput.value = date
      const { bus } = this.app
      // Before the rest, so that what is revised meanwhile is asked for again.
      const revisions = await askRevisions(bus, this.whose, this.period)
      const data = await askRecords(bus, this.whose, this.period)
      const text = JSON.stringify(data)
      this.revisions = revisions
      if (!this.isStopped) void this.workouts.load(this.period, data.zone)
      if (this.isStopped || text === this.shownText) return false
      this.shownText = text
      setText(this.status, this.isPerson && !isKnown(data.total) ? 'Nothing is known of this person then.' : this.dayWords(data.days))
      this.show(data)
      return true
    } catch (error) {
      if (this.isStopped) return false
      this.shownText = ''
      this.showRefusal(error)
      return false
    }
  }

  /**
   * Says why there is nothing to show; where a member asks for what is another one's too, with a way to the own history.
   *
   * @param {unknown} error
   */
  showRefusal(error) {
    const words = error instanceof RequestError ? `No answer: ${error.message}` : String(error)
    const own = this.app.ownPerson
    const isOthers = error instanceof RequestError && error.code === 'not_authorised' && own && this.who !== `@${own}`
    replace(this.status, words, isOthers && ' ', isOthers && h('a', { href: `#history/${encodeURIComponent(`@${own}`)}` }, 'To your own history'))
  }

  async listWho() {
    const { bus } = this.app
    const [{ devices }, { people }] = await Promise.all([bus.requestAll('devices', {}, 'devices'), bus.requestAll('people', {}, 'people')])
    this.zone = devices.find((/** @type {any} */ { device }) => device === this.who)?.zone
    // Of who has goals the week is that of the goals.
    const starts = this.isPerson && people.find((/** @type {any} */ { person }) => person === this.name)?.week_starts
    this.firstDay = WEEK_STARTS[starts] ?? this.firstDay
    const options = choicesOf(
      this.app.ownDevice, devices.map((/** @type {any} */ { device }) => device), people.map((/** @type {any} */ { person }) => person))
    if (!options.some(([key]) => key === this.who)) options.unshift([this.who, this.name || 'Choose a device or person'])
    setOptions(this.picker.select, options, this.who)
  }

  /**
   * @param {Record<string, any>[]} days
   */
  dayWords(days) {
    if (days.length !== 1) return ''
    const [{ date, zone, final }] = days
    const today = todayOf(Date.now() / 1000, zone, this.day)
    if (date === today) return `Today in ${zone}: still counting.`
    if (date > today) return 'That day is still to come.'
    if (!final) return `This day in ${zone} is not closed yet: what arrives late still changes it.`
    return isKnown(days[0]) ? `A day in ${zone}.` : 'Nothing is known of this day.'
  }

  /** Whether one of the days has been revised since it was shown; then all is asked for anew. */
  async watchRevisions() {
    if (!this.period || !this.shown || document.hidden || this.app.bus.link !== 'online') return
    try {
      // A new day has begun.
      if (periodOf(this.span, this.shownDate, this.firstDay).from !== this.period.from) {
        await this.load()
        return
      }
      const revisions = await askRevisions(this.app.bus, this.whose, this.period)
      if (this.isStopped || revisions === this.revisions || !(await this.load())) return
      const [day] = this.shown.days
      if (this.span === 'day' && day.date < todayOf(Date.now() / 1000, day.zone, this.day)) setText(this.status, `This day is being revised: late data came in at ${this.app.format.clock.format(Date.now())}.`)
    } catch {
      // The next look asks again.
    }
  }

  /**
   * @param {import('./records.js').Records} data
   */
  show(data) {
    for (const chart of this.charts.splice(0)) chart.destroy()
    this.shown = data
    const { total } = data
    const { format } = this.app
    const isPartial = total.distance_m > 0 && total.distance_active_s < total.active_s - 1
    const isTableOpen = this.rest.querySelector('details')?.open ?? false
    this.measure ??= total.revolutions > total.steps ? 'revolutions' : 'steps'
    const bars = h('canvas', { role: 'img', 'aria-label': `Bars of ${this.name}; the numbers are in the table below` })
    const measure = choice('Bars', MEASURES.map(({ key, title }) => [key, title]), this.measure, (key) => {
      this.measure = key
      this.show(data)
    })
    const cadences = UNITS.flatMap(({ unit, title }) => {
      const known = data.minutes.map((minute) => minute[`cadence_avg_${unit}`]).filter(isNumber)
      if (known.length === 0) return []
      const [least, most] = [Math.min(...known), Math.max(...known)].map((value) => format.tenth.format(value))
      const label = `${title} minute by minute, from ${least} to ${most} ${unit}`
      return [{ unit, title, canvas: h('canvas', { role: 'img', 'aria-label': label, 'data-test': unit }) }]
    })
    replace(this.body,
      this.tiles(total, isPartial), isPartial && h('p', { class: 'hint', 'data-test': 'partial' },
        `The length of a stride or turn was known for ${format.duration(total.distance_active_s)} of ${format.duration(total.active_s)} in motion: distance, pace and speed are those of that part.`),
      h('section', { class: 'panel' },
        h('div', { class: 'panel-head' }, h('h2', {}, this.title(data.zone)), measure.element), h('div', { class: 'chart' }, bars),
        h('div', { class: 'legends' }, this.bandLegend(data))))
    replace(this.rest,
      cadences.length > 0 && h('div', { class: 'cadences' }, ...cadences.map(({ title, canvas }) =>
        h('section', { class: 'panel' }, h('h2', {}, title), h('div', { class: 'chart' }, canvas)))),
      this.table(data, isTableOpen))
    this.charts.push(this.drawBars(bars, data), ...cadences.map(({ unit, canvas }) => this.drawCadence(canvas, unit, data)))
  }

  /** Draws the charts anew, which have the colours of the theme in them. */
  recolour() {
    if (this.shown) this.show(this.shown)
    this.workouts.recolour()
  }

  /**
   * @param {string} zone
   */
  title(zone) {
    const { format } = this.app
    const { span, from, to } = /** @type {import('./period.js').Period} */ (this.period)
    if (span === 'year') return from.slice(0, 4)
    if (span === 'month') return format.date(from, { month: 'long', year: 'numeric' })
    if (span === 'day') return `${format.date(from, { weekday: 'long', day: 'numeric', month: 'long' })}, ${zone}`
    return `${format.date(from, { day: 'numeric', month: 'short' })} – ${format.date(neighbour({ span: 'day', from: to, to }, -1).from, { day: 'numeric', month: 'short' })}`
  }

  /**
   * @param {Record<string, any>} total
   * @param {boolean} isPartial whether the distance is that of a part of the time
   */
  tiles(total, isPartial) {
    const { format } = this.app
    const tile = (/** @type {string} */ label, /** @type {string} */ value, /** @type {string} */ key) =>
      h('div', { class: 'tile' }, h('dt', {}, label), h('dd', { 'data-test': key }, value))
    const cadence = (/** @type {'avg' | 'max'} */ which) => {
      const [rpm, spm] = [total[`cadence_${which}_rpm`], total[`cadence_${which}_spm`]]
      return isNumber(rpm) ? `${format.tenth.format(rpm)} rpm` : isNumber(spm) ? `${format.tenth.format(spm)} spm` : null
    }
    const [average, most] = [cadence('avg'), cadence('max')]
    return h('dl', { class: 'tiles' },
      (total.steps > 0 || total.revolutions === 0) && tile('Steps', format.count(total.steps), 'steps'),
      total.revolutions > 0 && tile('Turns', format.count(total.revolutions), 'revolutions'),
      total.distance_m > 0 && tile(isPartial ? 'Distance known' : 'Distance', format.distance(total.distance_m), 'distance'),
      tile('Active', format.duration(total.active_s), 'active'),
      average && tile('Average cadence', average, 'average'),
      most && tile('Highest', most, 'most'),
      isNumber(total.pace_avg_s_per_m) && total.steps > total.revolutions && tile('Pace', format.pace(total.pace_avg_s_per_m), 'pace'),
      isNumber(total.speed_avg_m_per_s) && tile('Speed', format.speed(total.speed_avg_m_per_s), 'speed'),
      isNumber(total.floors_ascended) && tile('Floors up', format.count(total.floors_ascended), 'floors'))
  }

  /** How long each activity lasted; of one with steps or turns the time in motion, as the tiles have it.
   * @param {{ segments: any[], minutes: Bucket[] }} data */
  bandLegend({ segments, minutes }) {
    const { format } = this.app
    /** @type {Record<string, number>} */
    const seconds = {}
    for (const { activity, start, end } of segments) {
      const isCounted = ['cycling', 'walking', 'running'].includes(activity)
      seconds[activity] = (seconds[activity] ?? 0) + (isCounted
        ? minutes.reduce((sum, minute) => sum + (minute.start >= start && minute.start < end ? minute.active_s : 0), 0) : end - start)
    }
    const items = Object.entries(seconds).filter(([activity]) => activity in BAND_TONES).sort((a, b) => b[1] - a[1])
    return items.length > 0 && h('ul', { class: 'legend', 'aria-label': 'Activities' }, ...items.map(([activity, length]) =>
      h('li', { 'data-tone': activity }, h('i'), `${DOING[/** @type {import('./gym.js').Activity} */ (activity)]} ${format.duration(length)}`)))
  }

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {{ buckets: Bucket[], segments: any[], zone: string }} data
   */
  drawBars(canvas, { buckets, segments, zone }) {
    const measure = MEASURES.find(({ key }) => key === this.measure) ?? MEASURES[0]
    const start = buckets[0]?.start ?? 0
    const length = buckets.length * 3600
    const series = [{ label: measure.title, values: buckets.map(measure.value), colour: tone(measure.key === 'steps' ? '--walking' : '--cycling') }]
    return drawBars(canvas, {
      labels: buckets.map((bucket) => this.bucketName(bucket, zone, true)),
      series,
      bands: segments.filter(({ activity }) => activity in BAND_TONES).map(({ activity, start: from, end: to }) => ({
        from: (from - start) / length, to: (to - start) / length, colour: tone(BAND_TONES[activity]),
      })),
      format: (value) => this.measureWords(measure.key, value),
      title: (index) => this.bucketName(buckets[index], zone, false),
      choose: this.span === 'day' ? undefined : (index) => this.go({
        span: this.span === 'year' ? 'month' : 'day', date: dateIn(buckets[index].start + 43_200, zone),
      }),
    })
  }

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {'rpm' | 'spm'} unit
   * @param {{ minutes: Bucket[], zone: string }} data
   */
  drawCadence(canvas, unit, { minutes, zone }) {
    const isKnown = (/** @type {Bucket} */ minute) => isNumber(minute[`cadence_avg_${unit}`])
    const first = minutes.findIndex(isKnown)
    let last = minutes.length
    while (last > 0 && !isKnown(minutes[last - 1])) last -= 1
    const points = minutes.slice(Math.max(0, first - 1), last + 1).map((minute) => ({
      x: minute.start + 30, y: minute[`cadence_avg_${unit}`] ?? null, low: minute[`cadence_min_${unit}`] ?? null,
      high: minute[`cadence_max_${unit}`] ?? null,
    }))
    return drawCadence(canvas, {
      points, colour: tone(unit === 'rpm' ? '--cycling' : '--walking'), time: (seconds) => this.app.format.time(seconds, zone),
      format: (value) => `${this.app.format.tenth.format(value)} ${unit}`,
    })
  }

  /**
   * @param {string} key
   * @param {number} value
   */
  measureWords(key, value) {
    const { format } = this.app
    if (key === 'distance_m') return format.distance(value)
    return key === 'active_s' ? format.duration(value) : format.count(value)
  }

  /**
   * @param {Bucket} bucket
   * @param {string} zone
   * @param {boolean} isShort
   */
  bucketName(bucket, zone, isShort) {
    const { format } = this.app
    if (this.span === 'day') {
      if (isShort) return format.hour(bucket.start, zone)
      return `${format.time(bucket.start, zone)} – ${format.time(bucket.start + 3600, zone)}`
    }
    // Noon is in the right day or month, whatever the hour at which days begin.
    const date = dateIn(bucket.start + 43_200, zone)
    if (this.span === 'year') return format.date(date, { month: isShort ? 'short' : 'long' })
    if (this.span === 'week') return format.date(date, { weekday: isShort ? 'short' : 'long', day: 'numeric' })
    return isShort ? format.date(date, { day: 'numeric' }) : format.date(date, { weekday: 'long', day: 'numeric', month: 'long' })
  }

  /**
   * @param {{ buckets: Bucket[], zone: string }} data
   * @param {boolean} isOpen
   */
  table({ buckets, zone }, isOpen) {
    const { format } = this.app
    const cadence = (/** @type {Bucket} */ bucket) => bucket.cadence_avg_rpm ?? bucket.cadence_avg_spm
    const rows = buckets.filter(isKnown)
    return h('details', { class: 'panel table', open: isOpen },
      h('summary', {}, 'The numbers'),
      h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'The numbers' }, h('table', {},
        h('thead', {}, h('tr', {}, ...['When', 'Steps', 'Turns', 'Distance', 'Active', 'Cadence'].map((title) => h('th', { scope: 'col' }, title)))),
        h('tbody', {}, ...rows.map((bucket) => h('tr', {},
          h('th', { scope: 'row' }, this.bucketName(bucket, zone, false)), h('td', {}, format.count(bucket.steps)),
          h('td', {}, format.count(bucket.revolutions)), h('td', {}, bucket.distance_m > 0 ? format.distance(bucket.distance_m) : '–'),
          h('td', {}, format.duration(bucket.active_s)), h('td', {}, isNumber(cadence(bucket)) ? format.tenth.format(cadence(bucket)) : '–')))))),
      h('button', { 'data-test': 'export', onclick: () => this.exportCSV(buckets) }, 'Save as CSV'))
  }

  /**
   * @param {Bucket[]} buckets
   */
  exportCSV(buckets) {
    const columns = ['steps', 'revolutions', 'distance_m', 'active_s', 'covered_s', 'cadence_avg_rpm', 'cadence_avg_spm']
    const lines = buckets.map((bucket) =>
      [new Date(bucket.start * 1000).toISOString(), ...columns.map((column) => bucket[column] ?? '')].join(','))
    download(`${this.name.replace(/[^\w-]+/g, '_')}-${this.span}-${this.shownDate}.csv`, `start,${columns.join(',')}\n${lines.join('\n')}\n`, 'text/csv')
  }
}
