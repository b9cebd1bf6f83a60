// Generated from schemas/asyncapi.yaml by Tests/AsyncAPI/embed.py: edit that, and run it.

#include "schemas.h"

static const struct stridebus_topic topics[] = {
    {"{device}/imu", "frame.schema.json frame-compact.schema.json stridebus.proto"},
    {"{device}/rev", "rev.schema.json"},
    {"{device}/csc", "bluetooth.schema.json"},
    {"{device}/ftms", "bluetooth.schema.json hr.schema.json"},
    {"{device}/hr", "bluetooth.schema.json hr.schema.json"},
    {"{device}/count", "count.schema.json"},
    {"{device}/seconds", "seconds.schema.json"},
    {"{device}/mark", "mark.schema.json"},
    {"{device}/config", "config.schema.json"},
    {"{device}/status", ""},
    {"{device}/cadence", "cadence.schema.json"},
    {"{device}/steps", "steps.schema.json"},
    {"{device}/heart", "heart.schema.json"},
    {"{device}/power", "power.schema.json"},
    {"{device}/activity", "activity.schema.json"},
    {"{device}/day", "day.schema.json"},
    {"{device}/total", "total.schema.json"},
    {"person/{person}/day", "day.schema.json"},
    {"person/{person}/total", "total.schema.json"},
    {"{device}/workout", "workout.schema.json"},
    {"person/{person}/workout", "workout.schema.json"},
    {"wall", "wall.schema.json"},
    {"class", "class.schema.json"},
    {"{device}/health", "device-health.schema.json"},
    {"request/history/days", "request.schema.json reply.schema.json days-data.schema.json"},
    {"request/history/interval", "request.schema.json reply.schema.json interval-data.schema.json"},
    {"request/history/series", "request.schema.json reply.schema.json series-data.schema.json"},
    {"request/devices", "request.schema.json reply.schema.json devices-data.schema.json"},
    {"request/capabilities", "request.schema.json reply.schema.json capabilities-data.schema.json"},
    {"request/history/activity", "request.schema.json reply.schema.json activity-data.schema.json"},
    {"request/history/workouts", "request.schema.json reply.schema.json workouts-data.schema.json"},
    {"request/history/workout", "request.schema.json reply.schema.json workout-data.schema.json"},
    {"request/workouts/start", "request.schema.json reply.schema.json workout-data.schema.json"},
    {"request/workouts/stop", "request.schema.json reply.schema.json workout-data.schema.json"},
    {"request/workouts/edit", "request.schema.json reply.schema.json workout-data.schema.json"},
    {"request/workouts/export", "request.schema.json reply.schema.json workout-file-data.schema.json"},
    {"request/people", "request.schema.json reply.schema.json people-data.schema.json"},
    {"request/people/checkin", "request.schema.json reply.schema.json assignment-data.schema.json"},
    {"request/people/checkout", "request.schema.json reply.schema.json assignment-data.schema.json"},
    {"request/people/configure", "request.schema.json reply.schema.json shown-person-data.schema.json"},
    {"request/people/forget", "request.schema.json reply.schema.json forget-data.schema.json"},
    {"request/history/classes", "request.schema.json reply.schema.json classes-data.schema.json"},
    {"request/classes/start", "request.schema.json reply.schema.json class.schema.json"},
    {"request/classes/stop", "request.schema.json reply.schema.json class.schema.json"},
    {"request/devices/configure", "request.schema.json reply.schema.json config.schema.json"},
    {"request/devices/forget", "request.schema.json reply.schema.json forget-data.schema.json"},
    {"user/{user}/request/{verb}", "request.schema.json reply.schema.json"},
    {"user/{user}/role", "user-role.schema.json"},
    {"service/history/audit", "audit.schema.json"},
    {"service/{service}/status", ""},
    {"service/{service}/health", "service-health.schema.json"},
    {"service/{service}/{instance}/status", ""},
    {"service/{service}/{instance}/health", "service-health.schema.json"},
    {0, 0},
};

static const struct stridebus_schema files[] = {
    {"activity-data.schema.json", (const unsigned char[]){
#embed "../../schemas/activity-data.schema.json"
    , 0}},
    {"activity.schema.json", (const unsigned char[]){
#embed "../../schemas/activity.schema.json"
    , 0}},
    {"assignment-data.schema.json", (const unsigned char[]){
#embed "../../schemas/assignment-data.schema.json"
    , 0}},
    {"asyncapi.yaml", (const unsigned char[]){
#embed "../../schemas/asyncapi.yaml"
    , 0}},
    {"audit.schema.json", (const unsigned char[]){
#embed "../../schemas/audit.schema.json"
    , 0}},
    {"bluetooth.schema.json", (const unsigned char[]){
#embed "../../schemas/bluetooth.schema.json"
    , 0}},
    {"cadence.schema.json", (const unsigned char[]){
#embed "../../schemas/cadence.schema.json"
    , 0}},
    {"capabilities-data.schema.json", (const unsigned char[]){
#embed "../../schemas/capabilities-data.schema.json"
    , 0}},
    {"class.schema.json", (const unsigned char[]){
#embed "../../schemas/class.schema.json"
    , 0}},
    {"classes-data.schema.json", (const unsigned char[]){
#embed "../../schemas/classes-data.schema.json"
    , 0}},
    {"config.schema.json", (const unsigned char[]){
#embed "../../schemas/config.schema.json"
    , 0}},
    {"count.schema.json", (const unsigned char[]){
#embed "../../schemas/count.schema.json"
    , 0}},
    {"day.schema.json", (const unsigned char[]){
#embed "../../schemas/day.schema.json"
    , 0}},
    {"days-data.schema.json", (const unsigned char[]){
#embed "../../schemas/days-data.schema.json"
    , 0}},
    {"device-health.schema.json", (const unsigned char[]){
#embed "../../schemas/device-health.schema.json"
    , 0}},
    {"devices-data.schema.json", (const unsigned char[]){
#embed "../../schemas/devices-data.schema.json"
    , 0}},
    {"forget-data.schema.json", (const unsigned char[]){
#embed "../../schemas/forget-data.schema.json"
    , 0}},
    {"frame-compact.schema.json", (const unsigned char[]){
#embed "../../schemas/frame-compact.schema.json"
    , 0}},
    {"frame.schema.json", (const unsigned char[]){
#embed "../../schemas/frame.schema.json"
    , 0}},
    {"heart.schema.json", (const unsigned char[]){
#embed "../../schemas/heart.schema.json"
    , 0}},
    {"hr.schema.json", (const unsigned char[]){
#embed "../../schemas/hr.schema.json"
    , 0}},
    {"interval-data.schema.json", (const unsigned char[]){
#embed "../../schemas/interval-data.schema.json"
    , 0}},
    {"mark.schema.json", (const unsigned char[]){
#embed "../../schemas/mark.schema.json"
    , 0}},
    {"people-data.schema.json", (const unsigned char[]){
#embed "../../schemas/people-data.schema.json"
    , 0}},
    {"power.schema.json", (const unsigned char[]){
#embed "../../schemas/power.schema.json"
    , 0}},
    {"reply.schema.json", (const unsigned char[]){
#embed "../../schemas/reply.schema.json"
    , 0}},
    {"request.schema.json", (const unsigned char[]){
#embed "../../schemas/request.schema.json"
    , 0}},
    {"rev.schema.json", (const unsigned char[]){
#embed "../../schemas/rev.schema.json"
    , 0}},
    {"roles.json", (const unsigned char[]){
#embed "../../schemas/roles.json"
    , 0}},
    {"seconds.schema.json", (const unsigned char[]){
#embed "../../schemas/seconds.schema.json"
    , 0}},
    {"series-data.schema.json", (const unsigned char[]){
#embed "../../schemas/series-data.schema.json"
    , 0}},
    {"service-health.schema.json", (const unsigned char[]){
#embed "../../schemas/service-health.schema.json"
    , 0}},
    {"shown-person-data.schema.json", (const unsigned char[]){
#embed "../../schemas/shown-person-data.schema.json"
    , 0}},
    {"steps.schema.json", (const unsigned char[]){
#embed "../../schemas/steps.schema.json"
    , 0}},
    {"stridebus.proto", (const unsigned char[]){
#embed "../../schemas/stridebus.proto"
    , 0}},
    {"total.schema.json", (const unsigned char[]){
#embed "../../schemas/total.schema.json"
    , 0}},
    {"user-role.schema.json", (const unsigned char[]){
#embed "../../schemas/user-role.schema.json"
    , 0}},
    {"wall.schema.json", (const unsigned char[]){
#embed "../../schemas/wall.schema.json"
    , 0}},
    {"workout-data.schema.json", (const unsigned char[]){
#embed "../../schemas/workout-data.schema.json"
    , 0}},
    {"workout-file-data.schema.json", (const unsigned char[]){
#embed "../../schemas/workout-file-data.schema.json"
    , 0}},
    {"workout.schema.json", (const unsigned char[]){
#embed "../../schemas/workout.schema.json"
    , 0}},
    {"workouts-data.schema.json", (const unsigned char[]){
#embed "../../schemas/workouts-data.schema.json"
    , 0}},
    {0, 0},
};

const struct stridebus_topic *stridebus_topics(void) { return topics; }
const struct stridebus_schema *stridebus_schemas(void) { return files; }
