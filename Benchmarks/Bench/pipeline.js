#!/usr/bin/env node
// The bench's job as people write it in JavaScript: mqtt.js, JSON, a counter on one axis, SQLite.
//
// pipeline.js PORT DATABASE FRAMES [durable]: counts that many frames and says when the last one was committed. Rows are
// committed once a second, and mqtt.js acknowledges a frame before that: a crash loses up to a second. With `durable` a frame
// is acknowledged after its rows are committed. mqtt.js then has one frame at a time: it hands over the next one when the one
// before is acknowledged, so that each frame is a transaction.
// Node 22 brings SQLite; before it, the rows go to the `sqlite3` shell.
'use strict';

const { spawn } = require('node:child_process');
const mqtt = require('mqtt');

const [port, path, wanted] = [Number(process.argv[2]), process.argv[3], Number(process.argv[4])];
const durable = process.argv[5] === 'durable';
const schema = `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
CREATE TABLE minutes (device TEXT, minute INTEGER, count INTEGER, PRIMARY KEY (device, minute)) WITHOUT ROWID;`;
const upsert = 'INSERT INTO minutes VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count';

// Calls back when the rows are on the disk.
function openDatabase() {
    let builtIn;
    try {
        builtIn = require('node:sqlite');
    } catch {
        return openShell();
    }
    const database = new builtIn.DatabaseSync(path);
    database.exec(schema);
    const statement = database.prepare(upsert);
    return (rows, done) => {
        database.exec('BEGIN');
        for (const row of rows) statement.run(...row);
        database.exec('COMMIT');
        done();
    };
}

function openShell() {
    const shell = spawn('sqlite3', [path], { stdio: ['pipe', 'pipe', 'inherit'] });
    shell.stdin.write(`${schema}\n`);
    const waiting = [];
    shell.stdout.on('data', (text) => {
        for (let left = String(text).split('done').length - 1; left > 0; left--) waiting.shift()();
    });
    return (rows, done) => {
        waiting.push(done);
        const lines = rows.map(([device, minute, count]) => upsert.replace('?, ?, ?', `'${device}', ${minute}, ${count}`));
        shell.stdin.write(`BEGIN;\n${lines.join(';\n')}${lines.length ? ';' : ''}\nCOMMIT;\nSELECT 'done';\n`);
    };
}

// Of each device: the slow mean of the axis (gravity), and on which side of it the signal was.
const means = new Map();
const sides = new Map();
let changes = new Map();
const threshold = 0.4; // m/s²
let received = 0;
const commitRows = openDatabase();

function count(device, frame) {
    let sum = 0;
    for (const sample of frame.acc) sum += sample[2];
    const average = sum / frame.acc.length;
    const mean = means.has(device) ? means.get(device) : average;
    means.set(device, mean + 0.1 * (average - mean));
    let side = sides.has(device) ? sides.get(device) : -1;
    let rises = 0;
    for (const sample of frame.acc) {
        if (sample[2] > mean + threshold) {
            if (side === -1) rises++;
            side = 1;
        } else if (sample[2] < mean - threshold) {
            side = -1;
        }
    }
    sides.set(device, side);
    if (rises === 0) return;
    const key = `${device} ${Math.floor(frame.t / 60)}`;
    changes.set(key, (changes.get(key) || 0) + rises);
}

function commit(done) {
    const rows = [...changes].map(([key, number]) => [...key.split(' '), number]);
    changes = new Map();
    commitRows(rows, done);
}

const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, { clientId: 'node' });
client.on('connect', () => client.subscribe('stride/+/imu', { qos: 1 }, () => process.stderr.write('ready\n')));

function finish() {
    const end = Number(process.hrtime.bigint()) / 1e9;
    process.stdout.write(JSON.stringify({ end, received }) + '\n', () => process.exit(0));
}

if (durable) {
    client.handleMessage = (packet, acknowledge) => {
        count(packet.topic.split('/')[1], JSON.parse(packet.payload));
        received++;
        commit(() => {
            acknowledge();
            if (received === wanted) finish();
        });
    };
} else {
    const timer = setInterval(() => commit(() => {}), 1000);
    client.on('message', (topic, payload) => {
        count(topic.split('/')[1], JSON.parse(payload));
        if (++received !== wanted) return;
        clearInterval(timer);
        commit(finish);
    });
}
