// Stands for what mqtt.js imports and uses in Node.js only.
export default {}
