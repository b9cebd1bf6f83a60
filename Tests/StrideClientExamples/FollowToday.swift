import StrideClient

func followToday(of pedometer: Pedometer) async {
    for await today in pedometer.today {
        print(today.date, today.zone, today.steps, "steps,", today.distanceMetres, "m,", today.activeSeconds, "s")
    }
}
